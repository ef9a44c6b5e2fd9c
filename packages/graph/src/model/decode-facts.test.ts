import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeFacts, type FactsOwner } from "./decode-facts.ts";
import { encodeFacts, factsDigest } from "./encode-facts.ts";
import { factLimits } from "./limits.ts";
import { containerRef } from "./node.ts";
import type { ObjectFacts } from "./object-facts.ts";

const owner: FactsOwner = { node: { kind: "Pod", namespace: "shop", name: "web" }, uid: "u1" };

const facts: ObjectFacts = {
  ...owner,
  properties: {
    labels: { b: "2", a: "1" },
    phase: "Running",
    replicas: 3,
    hostNetwork: true,
    ips: ["a", "b"],
  },
  parts: [{ node: containerRef("shop", "web", "containers", "app"), properties: { privileged: true } }],
  edges: [
    { type: "HAS_CONTAINER", from: 0, to: 1, at: "/spec/containers/0" },
    {
      type: "USES_SECRET",
      from: 1,
      to: { kind: "Secret", namespace: "shop", name: "db" },
      at: "/spec/containers/0/envFrom/0",
      properties: { optional: true, key: "k" },
    },
    { type: "RUNS_ON", from: 0, to: { kind: "Node", namespace: "", name: "worker-1" }, at: "/spec/nodeName" },
  ],
  selections: [
    {
      type: "SELECTS",
      kind: "Pod",
      namespace: "other",
      selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "x", operator: "Exists" }] },
      at: "/spec/selector",
    },
  ],
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [], nonResourceURLs: [] }],
  aggregates: [{ matchLabels: { role: "view" } }],
  cut: { edges: 3 },
};

test("facts are read back as they were", () => {
  expect(decodeFacts(encodeFacts(facts), owner)).toEqual(facts);
  const empty: ObjectFacts = { ...owner, properties: {}, parts: [], edges: [], selections: [] };
  expect(encodeFacts(empty)).toBe('{"properties":{}}');
  expect(decodeFacts(encodeFacts(empty), owner)).toEqual(empty);
});

test("names that the object has itself are not repeated", () => {
  expect(encodeFacts(facts)).toContain(
    '[["HAS_CONTAINER",0,1,"/spec/containers/0"],["USES_SECRET",1,["Secret","db"],"/spec/containers/0/envFrom/0",{"key":"k","optional":true}],["RUNS_ON",0,["Node","worker-1",""],"/spec/nodeName"]]',
  );
});

test("the same facts have the same 8 bytes, and others have others", () => {
  const digest = factsDigest(encodeFacts(facts));
  expect(digest).toHaveLength(8);
  const { properties } = facts;
  const turned = Object.fromEntries(Object.entries(properties).toReversed());
  const labels = { a: "1", b: "2" };
  expect(factsDigest(encodeFacts({ ...facts, properties: { ...turned, labels } }))).toEqual(digest);
  expect(factsDigest(encodeFacts({ ...facts, properties: {} }))).not.toEqual(digest);
});

describe("no facts:", () => {
  test.each(["", "x", "null", "[]", "5", '"text"', "{", `{"a":"${"x".repeat(2 * 1024 * 1024)}"}`])(
    "case %#",
    (text) => {
      expect(decodeFacts(text, owner)).toBeUndefined();
    },
  );
});

describe("what cannot be understood is left out, and counted", () => {
  const db = ["Secret", "db"];

  test.each<readonly [string, unknown, string]>([
    ["an edge of a type that a newer agent knows", { edges: [["TELEPORTS", 0, db, "/x"]] }, "edges"],
    ["an edge from a part that is not there", { edges: [["USES_SECRET", 1, db, "/x"]] }, "edges"],
    ["an edge from half a part", { edges: [["USES_SECRET", 0.5, db, "/x"]] }, "edges"],
    ["an edge to nothing", { edges: [["USES_SECRET", 0, null, "/x"]] }, "edges"],
    ["an edge to what cannot be named", { edges: [["USES_SECRET", 0, ["Sec/ret", "db"], "/x"]] }, "edges"],
    ["an edge from nowhere", { edges: [["USES_SECRET", 0, db, 5]] }, "edges"],
    ["no edge at all", { edges: [null] }, "edges"],
    [
      "a selector that would select more",
      { selections: [["SELECTS", ["Pod"], { matchLabels: 5 }, "/x"]] },
      "selections",
    ],
    ["a rule that would allow more", { rules: [[["get"], [""], ["secrets"], [5], []]] }, "rules"],
    ["a rule without its names", { rules: [[["get"], [""], ["secrets"]]] }, "rules"],
    ["roles gathered by what is no selector", { aggregates: ["all"] }, "aggregates"],
  ])("%s", (_what, encoded, what) => {
    const read = decodeFacts(JSON.stringify(encoded), owner);
    expect(read?.cut).toEqual({ [what]: 1 });
    expect(read).toMatchObject({ edges: [], selections: [] });
    expect(read?.rules ?? []).toEqual([]);
  });

  test("a part keeps its place, or edges would be those of another", () => {
    const encoded = {
      parts: [5, ["Container", "containers/app", {}]],
      edges: [["HAS_CONTAINER", 0, 2, "/x"]],
    };
    const read = decodeFacts(JSON.stringify(encoded), owner);
    expect(read?.parts.map(({ node }) => node.name)).toEqual(["web/", "web/containers/app"]);
    expect(read?.edges).toHaveLength(1);
  });

  test("more than an object may say", () => {
    const edges = Array.from({ length: factLimits.edges + 7 }, () => ["RUNS_AS", 0, ["A", "b"], "/x"]);
    const read = decodeFacts(JSON.stringify({ edges }), owner);
    expect(read?.edges).toHaveLength(factLimits.edges);
    expect(read?.cut).toEqual({ edges: 7 });
  });
});

test("what an object is made of stays as it was", () => {
  const text =
    '{"properties":{"__proto__":{"polluted":"yes"},"labels":{"__proto__":"x","constructor":"y"}},"cut":{"__proto__":5}}';
  const read = decodeFacts(text, owner);
  expect(read?.properties).toEqual({ labels: { constructor: "y" } });
  expect(Object.assign({}, read?.properties)).not.toHaveProperty("polluted");
  expect(read?.cut).toBeUndefined();
});

test("anything that is JSON is read without a throw, and the same again", () => {
  const word = fc.constantFrom(
    ..."properties parts edges selections rules aggregates cut labels __proto__ matchLabels USES_SECRET Secret".split(
      " ",
    ),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium" },
      fc.oneof(word, fc.jsonValue({ maxDepth: 2 }), fc.nat(3)),
      fc.array(tie("tree"), { maxLength: 6 }),
      fc.dictionary(word, tie("tree"), { maxKeys: 6 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const read = decodeFacts(JSON.stringify(value) ?? "", owner);
      if (read === undefined) return;
      const again = decodeFacts(encodeFacts(read), owner);
      expect(again && encodeFacts(again)).toBe(encodeFacts(read));
    }),
    { numRuns: 300 },
  );
});
