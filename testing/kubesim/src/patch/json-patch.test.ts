import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyJsonPatch } from "./json-patch.ts";

const rejected = expect.objectContaining({ code: 422, reason: "Invalid" });

describe("a JSON patch", () => {
  const target = { a: { b: [1, 2, 3], "x/y": 1, "m~n": 2 }, c: "d" };

  it.each([
    ["adds a field", [{ op: "add", path: "/a/z", value: 1 }], { ...target, a: { ...target.a, z: 1 } }],
    [
      "adds into a list",
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
    [
      "replaces what is missing, as the server does",
      [{ op: "replace", path: "/e", value: 0 }],
      { ...target, e: 0 },
    ],
    ["moves", [{ op: "move", from: "/c", path: "/a/c" }], { a: { ...target.a, c: "d" } }],
    ["copies", [{ op: "copy", from: "/c", path: "/e" }], { ...target, e: "d" }],
    ["tests", [{ op: "test", path: "/a/b", value: [1, 2, 3] }], target],
    ["tests that something is missing", [{ op: "test", path: "/nothing", value: null }], target],
    [
      "reads ~1 and ~0",
      [
        { op: "remove", path: "/a/x~1y" },
        { op: "test", path: "/a/m~0n", value: 2 },
      ],
      { ...target, a: { b: [1, 2, 3], "m~n": 2 } },
    ],
  ])("%s", (_name, operations, expected) => {
    expect(applyJsonPatch(target, operations)).toEqual(expected);
  });

  it.each([
    ["a test that fails", [{ op: "test", path: "/c", value: "e" }]],
    ["removing what is not there", [{ op: "remove", path: "/nothing" }]],
    ["a path through nothing", [{ op: "add", path: "/x/y/z", value: 1 }]],
    ["an index beyond the end", [{ op: "add", path: "/a/b/4", value: 1 }]],
    ["an index that is no number", [{ op: "replace", path: "/a/b/first", value: 1 }]],
    ["an unknown operation", [{ op: "frobnicate", path: "/c" }]],
    ["a path without a slash", [{ op: "remove", path: "c" }]],
    ["the whole document", [{ op: "replace", path: "", value: {} }]],
  ])("is refused for %s", (_name, operations) => {
    expect(() => applyJsonPatch(target, operations)).toThrow(rejected);
  });

  it("is a bad request if it is no list of objects", () => {
    expect(() => applyJsonPatch(target, { op: "remove", path: "/c" })).toThrow(
      expect.objectContaining({ code: 400 }),
    );
    expect(() => applyJsonPatch(target, ["remove"])).toThrow(expect.objectContaining({ code: 400 }));
  });

  it("cannot grow an object without bound", () => {
    const double = { op: "copy", from: "/a", path: "/a/a" };
    expect(() =>
      applyJsonPatch(
        { a: { text: "x".repeat(100) } },
        Array.from({ length: 9000 }, () => double),
      ),
    ).toThrow(rejected);
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/c", value: "d" }));
    expect(() => applyJsonPatch(target, many)).toThrow(expect.objectContaining({ code: 413 }));
  });

  it("undoes an add by a remove, and never changes the target", () => {
    const list = fc.array(fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(list, fc.jsonValue({ maxDepth: 2 }), fc.nat(), (items, value, at) => {
        const before = structuredClone(items);
        const path = `/list/${at % (items.length + 1)}`;
        const added = applyJsonPatch({ list: items }, [{ op: "add", path, value }]);
        expect(applyJsonPatch(added, [{ op: "remove", path }])).toEqual({ list: items });
        expect(items).toEqual(before);
      }),
    );
  });
});
