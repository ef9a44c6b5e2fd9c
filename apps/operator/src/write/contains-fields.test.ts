import { describe, expect, test } from "vitest";

import { containsFields } from "./contains-fields.ts";

describe("containsFields", () => {
  test.each([
    ["the same", { a: 1, b: ["x"] }, { a: 1, b: ["x"] }],
    ["defaults of the server", { a: { b: 1, protocol: "TCP" } }, { a: { b: 1 } }],
    ["a sidecar of somebody else", [{ name: "other" }, { name: "own", image: "x" }], [{ name: "own" }]],
    ["what says nothing and was left out", {}, { a: [], b: {}, c: "", d: false, e: null, f: { g: [] } }],
    ["amounts that are written differently", { cpu: "1", memory: "1Gi" }, { cpu: "1000m", memory: "1024Mi" }],
    ["a number for an amount", { cpu: "2" }, { cpu: 2 }],
    ["half an amount", { cpu: "500m" }, { cpu: "0.5" }],
  ])("%s", (_what, live, wanted) => {
    expect(containsFields(live, wanted)).toBe(true);
  });

  test.each([
    ["another value", { a: "x" }, { a: "y" }],
    ["another amount", { cpu: "1" }, { cpu: "100m" }],
    ["a field that is gone", { a: 1 }, { a: 1, b: 1 }],
    ["a list that is longer", ["a", "b"], ["a"]],
    ["a list that is emptied", ["a"], []],
    ["another order of what has no name", ["a", "b"], ["b", "a"]],
    ["a container that is gone", [{ name: "other" }], [{ name: "own", image: "x" }]],
    ["another type", { a: { b: 1 } }, { a: [1] }],
    ["a name that every object has", {}, { toString: "x" }],
    ["text that is no amount", { a: "web" }, { a: "db" }],
  ])("not %s", (_what, live, wanted) => {
    expect(containsFields(live, wanted)).toBe(false);
  });
});
