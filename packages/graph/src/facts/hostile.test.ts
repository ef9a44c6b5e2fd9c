import { seededRandom } from "@bowline/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeFacts } from "../model/decode-facts.ts";
import { encodeFacts, factsDigest } from "../model/encode-facts.ts";
import { factLimits } from "../model/limits.ts";
import type { ObjectFacts } from "../model/object-facts.ts";
import type { FactFields } from "../model/read-fields.ts";
import { graphKinds, kindFacts } from "./kinds.ts";
import { asRead, factsOf } from "./testing/told.ts";

/** One message to the server holds a megabyte. */
const mostBytes = 1024 * 1024;

/** Bounded, the same each time, and read back as it was. */
function expectSound(facts: ObjectFacts): void {
  const encoded = encodeFacts(facts);
  expect(Buffer.byteLength(encoded)).toBeLessThan(mostBytes);
  expect(facts.edges.length).toBeLessThanOrEqual(factLimits.edges);
  expect(facts.parts.length).toBeLessThanOrEqual(factLimits.parts);
  expect(decodeFacts(encoded, facts)).toEqual(facts);
  expect(factsDigest(encoded)).toHaveLength(8);
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_none, index) => make(index));
const longest = "n".repeat(253);

describe("an object that is made to hurt is cut, and says so", () => {
  test("a pod with 10,000 variables from Secrets", () => {
    const env = many(10_000, (index) => ({
      name: `V${index}`,
      valueFrom: { secretKeyRef: { name: `s${index}`, key: "k" } },
    }));
    const facts = factsOf("v1", "Pod", { spec: { containers: [{ name: "app", env }] } });
    expectSound(facts);
    expect(facts.edges.length).toBeGreaterThan(1_000);
    expect(facts.edges.length + (facts.cut?.["edges"] ?? 0)).toBe(10_002);
  });

  test("a pod with 10,000 variables of its own", () => {
    const env = many(10_000, (index) => ({ name: `V${index}`, value: "x" }));
    const facts = factsOf("v1", "Pod", { spec: { containers: [{ name: "app", env }] } });
    expectSound(facts);
    expect(facts.cut).toEqual({ env: 9_000 });
  });

  test("a pod with 5,000 containers: those that have no node still say what they use", () => {
    const envFrom = [{ secretRef: { name: "db" } }];
    const containers = many(5_000, (index) => ({ name: `c${index}`, envFrom }));
    const facts = factsOf("v1", "Pod", { spec: { containers } });
    expectSound(facts);
    expect(facts.cut?.["parts"]).toBe(4_500);
    expect(facts.edges).toContainEqual(
      expect.objectContaining({ from: 0, type: "USES_SECRET", properties: { container: "c500" } }),
    );
  });

  test("names of 253 characters are told whole", () => {
    const spec = { containers: [{ name: longest, envFrom: [{ secretRef: { name: longest } }] }] };
    const facts = factsOf("v1", "Pod", { metadata: { name: longest, namespace: longest }, spec });
    expectSound(facts);
    expect(facts.cut).toBeUndefined();
    expect(facts.edges.at(-1)?.to).toEqual({ kind: "Secret", namespace: longest, name: longest });
  });

  test("a name that is none is not told at all: shortened it would be another", () => {
    const names = ["x".repeat(2_000), "a\u0000b", "\ud800"];
    const spec = { imagePullSecrets: names.map((name) => ({ name })) };
    const facts = factsOf("v1", "Pod", { spec });
    expectSound(facts);
    expect(facts.edges.map(({ type }) => type)).toEqual(["RUNS_AS"]);
    expect(facts.cut).toEqual({ edges: 3 });
  });

  test("annotations of a megabyte", () => {
    const annotations = { team: "t".repeat(1_000_000), "example.com/blob": "b".repeat(1_000_000) };
    const facts = factsOf("apps/v1", "Deployment", { metadata: { annotations } });
    expectSound(facts);
    expect(facts.properties["annotations"]).toEqual({ team: `${"t".repeat(factLimits.text - 1)}…` });
  });

  test("a role of 100,000 rules", () => {
    const rules = many(100_000, () => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"] }));
    const facts = factsOf("rbac.authorization.k8s.io/v1", "ClusterRole", { rules });
    expectSound(facts);
    expect((facts.rules?.length ?? 0) + (facts.cut?.["rules"] ?? 0)).toBe(100_000);
  });

  test("texts of quotes, of three bytes for each character, and labels without end", () => {
    const quotes = '"'.repeat(1_000);
    const spec = {
      containers: many(500, (index) => ({
        name: `c${index}`,
        env: many(10, () => ({ name: index % 2 === 0 ? quotes : "€".repeat(1_000) })),
      })),
    };
    const labels = Object.fromEntries(many(100_000, (index) => [`l${index}`, "v"]));
    const facts = factsOf("v1", "Pod", { metadata: { labels }, spec });
    expectSound(facts);
    expect(facts.cut).toMatchObject({ labels: 99_000, parts: expect.any(Number) });
  });
});

describe("names of prototypes are names like others", () => {
  test("as labels", () => {
    const labels: unknown = JSON.parse(
      '{"__proto__":"evil","constructor":"a","toString":"b","hasOwnProperty":""}',
    );
    const facts = factsOf("v1", "Pod", { metadata: { labels } });
    expectSound(facts);
    expect(facts.properties["labels"]).toEqual({ constructor: "a", toString: "b", hasOwnProperty: "" });
    expect(facts.cut).toEqual({ labels: 1 });
    expect(Object.getPrototypeOf(facts.properties["labels"])).toBe(Object.prototype);
  });

  test.each(["__proto__", "constructor", "toString"])("of containers, volumes and Secrets: %s", (name) => {
    const volumes = [{ name, secret: { secretName: name } }];
    const volumeMounts = [{ name, mountPath: "/x" }];
    const facts = factsOf("v1", "Pod", { spec: { volumes, containers: [{ name, volumeMounts }] } });
    expectSound(facts);
    expect(facts.edges.map(({ type }) => type)).toEqual([
      "RUNS_AS",
      "USES_VOLUME",
      "USES_SECRET",
      "HAS_CONTAINER",
      "USES_VOLUME",
    ]);
  });
});

describe("whatever an object is", () => {
  test.each(graphKinds)("facts of a $kind are sound, and those of the fields that are read", (kind) => {
    const seen = { edges: 0, properties: 0 };
    for (let seed = 1; seed <= 300; seed++) {
      const object = new ChanceObject(seed).shaped(kind.fields);
      const facts = kind.facts(object);
      expectSound(facts);
      expect(kind.facts(asRead(object, kind.fields)), `seed ${seed}`).toEqual(facts);
      seen.edges += facts.edges.length;
      seen.properties += Object.keys(facts.properties).length;
    }
    // Or chance did not get behind the first fields.
    expect(seen.edges).toBeGreaterThan(50);
    expect(seen.properties).toBeGreaterThan(50);
  });

  test("also of a kind that nobody knows, and of what is no object", () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
    fc.assert(
      fc.property(anything, (object) => {
        for (const { facts } of [...graphKinds, kindFacts({ group: "example.com", kind: "Widget" })]) {
          const told = facts(object);
          expectSound(told);
          expect(told.parts).toEqual([]);
        }
      }),
    );
  });
});

const names = [
  "a",
  "web",
  "db",
  "Pod",
  "Secret",
  "ClusterRole",
  "ServiceAccount",
  "v1",
  "apps/v1",
  "nginx:1",
];
const oddities = [
  "",
  "a/b",
  "\u0000",
  "\ud800",
  "x".repeat(2_000),
  "__proto__",
  null,
  true,
  -0,
  1e300,
  [],
  {},
];

/** Objects of the shape that a kind has, with the wrong thing at every place now and then. */
class ChanceObject {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  shaped(fields: FactFields, depth = 0): unknown {
    const kept = Object.entries(fields).filter(() => this.#random() < 0.8);
    const read = kept.map(([name, part]) => [name, this.#field(part, depth)] as const);
    return Object.fromEntries([...read, ...this.#extra()]);
  }

  /** Which fields are lists nobody says here; metadata, spec and status are none. */
  #field(part: true | FactFields, depth: number): unknown {
    const chance = this.#random();
    if (chance < 0.05) return this.#one(oddities);
    if (part === true) return this.#leaf();
    if (depth === 0 || chance < 0.4) return this.shaped(part, depth + 1);
    return Array.from({ length: 2 }, () => this.shaped(part, depth + 1));
  }

  #leaf(): unknown {
    const chance = this.#random();
    if (chance < 0.08) return Object.fromEntries(names.map((name) => [name, this.#one(names)]));
    if (chance < 0.16) return [this.#one(names), this.#one(names)];
    if (chance < 0.22) return this.#random() < 0.5;
    return chance < 0.28 ? Math.floor(this.#random() * 65_536) : this.#one(names);
  }

  #extra(): [string, unknown][] {
    return this.#random() < 0.5 ? [] : [["somethingElse", { name: "canary" }]];
  }

  #one<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }
}
