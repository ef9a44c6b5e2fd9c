import { describe, expect, test } from "vitest";

import { Cluster } from "./cluster.ts";
import { findKind, requireKind } from "./find-kind.ts";
import { kinds } from "./index.ts";
import { WorkloadInstance } from "./workload-instance.ts";

describe("findKind", () => {
  test.each(["WorkloadInstance", "workloadinstances", "workloadinstance", "wi", "WI", "WorkloadInstances"])(
    "knows %s",
    (name) => {
      expect(findKind(name)).toBe(WorkloadInstance);
    },
  );

  test.each(["", "pods", "workload", "constructor"])("does not know «%s»", (name) => {
    expect(findKind(name)).toBeUndefined();
  });
});

describe("requireKind", () => {
  test("returns the kind", () => {
    expect(requireKind("cl")).toBe(Cluster);
  });

  test("suggests what was meant", () => {
    expect(() => requireKind("clutser")).toThrow("There is no kind «clutser»; did you mean «cluster»?");
  });

  test("lists the kinds when nothing is near", () => {
    expect(() => requireKind("deployments")).toThrow(
      "There is no kind «deployments»; the kinds are clusters, workloaddefinitions,",
    );
  });
});

test("no two kinds go by one name", () => {
  const names = kinds.flatMap((kind) => [kind.plural, kind.singular, ...kind.shortNames]);
  expect(names).toEqual([...new Set(names)]);
});
