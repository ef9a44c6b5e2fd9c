import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";

describe("a JSON merge patch", () => {
  it("sets, replaces and removes fields, and leaves the rest alone", () => {
    const target = { title: "old", author: { first: "A", last: "B" }, tags: ["x", "y"], kept: 1 };
    const patch = { title: "new", author: { last: null }, tags: ["z"], phone: "1" };
    expect(applyMergePatch(target, patch)).toEqual({
      title: "new",
      author: { first: "A" },
      tags: ["z"],
      kept: 1,
      phone: "1",
    });
  });

  it("drops nulls inside an object that is new", () => {
    expect(applyMergePatch({}, { a: { b: { c: null } } })).toEqual({ a: { b: {} } });
  });

  it("replaces what is no object by the object", () => {
    expect(applyMergePatch({ a: [1] }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  it("refuses a patch that is no object", () => {
    expect(() => applyMergePatch({}, [1])).toThrow(expect.objectContaining({ code: 422, reason: "Invalid" }));
  });

  it("shares what it does not touch and never changes the target", () => {
    const target = Object.freeze({ a: Object.freeze({ b: 1 }), c: 1 });
    expect(applyMergePatch(target, { c: 2 })["a"]).toBe(target.a);
  });

  it("treats __proto__ as a field like any other", () => {
    const patched = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": 1}}'));
    expect(Object.keys(patched)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
  });

  it("keeps its laws: applying twice is applying once, and an empty patch changes nothing", () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = applyMergePatch(target, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
        expect(applyMergePatch(target, {})).toEqual(target);
      }),
    );
  });
});
