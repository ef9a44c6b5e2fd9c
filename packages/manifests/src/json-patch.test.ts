import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { JsonValue } from "./json.ts";
import { applyJsonPatch, jsonPatchProblem, type JsonPatchOperation } from "./json-patch.ts";

const target = { a: { b: [1, 2, 3], "x/y": 1, "m~n": 2 }, c: "d" };

describe("A JSON patch", () => {
  test.each<[string, JsonPatchOperation[], object]>([
    ["adds a field", [{ op: "add", path: "/e", value: 1 }], { ...target, e: 1 }],
    ["adds over a field", [{ op: "add", path: "/c", value: 1 }], { ...target, c: 1 }],
    [
      "inserts",
      [{ op: "add", path: "/a/b/1", value: 9 }],
      { ...target, a: { ...target.a, b: [1, 9, 2, 3] } },
    ],
    [
      "appends",
      [{ op: "add", path: "/a/b/-", value: 9 }],
      { ...target, a: { ...target.a, b: [1, 2, 3, 9] } },
    ],
    ["removes an item", [{ op: "remove", path: "/a/b/0" }], { ...target, a: { ...target.a, b: [2, 3] } }],
    ["removes a field", [{ op: "remove", path: "/c" }], { a: target.a }],
    [
      "replaces",
      [{ op: "replace", path: "/a/b/2", value: 0 }],
      { ...target, a: { ...target.a, b: [1, 2, 0] } },
    ],
    ["moves", [{ op: "move", from: "/c", path: "/a/c" }], { a: { ...target.a, c: "d" } }],
    ["copies", [{ op: "copy", from: "/c", path: "/e" }], { ...target, e: "d" }],
    ["tests", [{ op: "test", path: "/a/b", value: [1, 2, 3] }], target],
    [
      "reads ~1 and ~0",
      [
        { op: "remove", path: "/a/x~1y" },
        { op: "test", path: "/a/m~0n", value: 2 },
      ],
      { ...target, a: { b: [1, 2, 3], "m~n": 2 } },
    ],
  ])("%s", (_, operations, expected) => {
    const before = structuredClone(target);
    expect(applyJsonPatch(target, operations)).toEqual(expected);
    expect(target).toEqual(before);
  });

  test.each<[string, JsonPatchOperation]>([
    ["a test that fails", { op: "test", path: "/c", value: "e" }],
    ["removing what is not there", { op: "remove", path: "/nothing" }],
    ["replacing what is not there", { op: "replace", path: "/nothing", value: 1 }],
    ["a path through nothing", { op: "add", path: "/x/y/z", value: 1 }],
    ["an index beyond the end", { op: "add", path: "/a/b/4", value: 1 }],
    ["an index with zeros before it", { op: "replace", path: "/a/b/01", value: 1 }],
    ["a field of a text", { op: "add", path: "/c/length", value: 1 }],
    ["what every object has", { op: "remove", path: "/constructor" }],
    ["copying nothing", { op: "copy", from: "/nothing", path: "/e" }],
  ])("is refused for %s, with the place", (_, operation) => {
    expect(() => applyJsonPatch(target, [operation])).toThrow(operation.from ?? operation.path);
  });

  test("is checked before there is anything to apply it to", () => {
    const problems = (
      [
        { op: "add", path: "spec", value: 1 },
        { op: "add", path: "/a~2", value: 1 },
        { op: "add", path: "/a" },
        { op: "move", path: "/a" },
        { op: "remove", path: "/a", from: "/b" },
        { op: "move", from: "/a", path: "/a/b" },
        { op: "remove", path: "/a" },
      ] satisfies JsonPatchOperation[]
    ).map((operation) => jsonPatchProblem(operation)?.split(" ").slice(0, 3).join(" "));
    expect(problems).toEqual([
      "needs a path",
      "needs a path",
      "needs a value",
      "needs from, a",
      "has no from",
      "moves something into",
      undefined,
    ]);
  });

  test("adds and takes away again any key and value", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.jsonValue(),
        (object, key, value) => {
          const path = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
          const before = Object.fromEntries(
            Object.entries(object).filter(([name]) => name !== key),
          ) as JsonValue;
          const added = applyJsonPatch(before, [
            { op: "add", path, value },
            { op: "test", path, value },
          ]);
          expect(Object.keys(added as object)).toContain(key);
          expect(applyJsonPatch(added, [{ op: "remove", path }])).toEqual(before);
        },
      ),
    );
  });
});
