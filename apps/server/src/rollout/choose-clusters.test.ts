import { Cluster } from "@bowline/api";
import { returnedObject } from "@bowline/api/testing";
import { typed } from "@bowline/store";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { chooseClusters } from "./choose-clusters.ts";

const cluster = (name: string, labels: Record<string, string> = {}): Cluster =>
  typed(Cluster, returnedObject(Cluster, { metadata: { name, labels }, spec: {} }));
const namesOf = (clusters: readonly Cluster[]): string[] => clusters.map(({ metadata }) => metadata.name);

const zones = [
  cluster("a1", { zone: "a" }),
  cluster("a2", { zone: "a" }),
  cluster("a3", { zone: "a" }),
  cluster("b1", { zone: "b" }),
  cluster("c1", { zone: "c" }),
];

test("without limits all are chosen", () => {
  expect(chooseClusters({}, zones, new Set())).toMatchObject({ passedOver: [], problem: undefined });
});

describe("a limit", () => {
  test("takes the first by name, and says why the others are not taken", () => {
    const { chosen, passedOver } = chooseClusters({ limit: 4 }, zones, new Set());
    expect(namesOf(chosen)).toEqual(["a1", "a2", "a3", "b1"]);
    expect(passedOver).toEqual([{ cluster: "c1", message: "4 clusters have it already." }]);
  });

  test("keeps those that have it", () => {
    expect(namesOf(chooseClusters({ limit: 2 }, zones, new Set(["c1", "a3"])).chosen)).toEqual(["a3", "c1"]);
  });
});

describe("a spread", () => {
  test("takes from the smallest group first, and no more of one than may be", () => {
    const { chosen, passedOver } = chooseClusters(
      { limit: 4, spread: { by: "zone", max: 2 } },
      zones,
      new Set(),
    );
    expect(namesOf(chosen)).toEqual(["a1", "b1", "c1", "a2"]);
    expect(passedOver).toEqual([{ cluster: "a3", message: "2 clusters with zone=a have it already." }]);
  });

  test("passes over clusters without the label, and tells when there are too few groups", () => {
    const { passedOver, problem } = chooseClusters(
      { spread: { by: "zone", min: 2 } },
      [cluster("a1", { zone: "a" }), cluster("none")],
      new Set(),
    );
    expect(passedOver).toEqual([
      { cluster: "none", message: "It has no label zone, by which it is spread." },
    ]);
    expect(problem).toBe("It is to be spread over 2 values of zone, and there are 1.");
  });
});

test("a choice that is made again moves nothing", () => {
  const labelled = fc.array(fc.constantFrom("a", "b", "c", undefined), { maxLength: 12 });
  const placement = fc.record({
    limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    spread: fc.option(fc.record({ by: fc.constant("zone"), max: fc.integer({ min: 1, max: 3 }) }), {
      nil: undefined,
    }),
  });
  fc.assert(
    fc.property(labelled, placement, fc.nat({ max: 4 }), (labels, { limit, spread }, added) => {
      const clusters = labels.map((zone, index) => cluster(`c${index}`, zone === undefined ? {} : { zone }));
      const wanted = {
        ...(limit === undefined ? {} : { limit }),
        ...(spread === undefined ? {} : { spread }),
      };
      const first = namesOf(chooseClusters(wanted, clusters, new Set()).chosen);
      const more = Array.from({ length: added }, (_, index) => cluster(`a${index}`, { zone: "a" }));
      const again = chooseClusters(wanted, [...more, ...clusters], new Set(first));
      expect(namesOf(again.chosen)).toEqual(expect.arrayContaining(first));
      expect(again.chosen.length).toBeLessThanOrEqual(limit ?? Infinity);
    }),
  );
});
