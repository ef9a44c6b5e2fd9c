import { asRecord } from "./unknown-values.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { mergePatch } from "./merge-patch.ts";

/** Appendix A of RFC 7396. */
const examples: readonly (readonly [original: unknown, patch: unknown, result: unknown])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

const json = fc.jsonValue({ maxDepth: 4 });
const withoutNulls = json.map((value): unknown => JSON.parse(JSON.stringify(value), (_, item) => item ?? 0));

/** The patch that turns one value into another, as long as the other holds no null. */
function patchBetween(from: unknown, to: unknown): unknown {
  if (!isPlain(from) || !isPlain(to)) return to;
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  return Object.fromEntries([
    ...removed.map((key) => [key, null]),
    ...Object.entries(to).map(([key, value]) => [
      key,
      Object.hasOwn(from, key) ? patchBetween(from[key], value) : value,
    ]),
  ]);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("mergePatch", () => {
  test.each(examples)("%j patched with %j is %j", (original, patch, result) => {
    expect(mergePatch(original, patch)).toEqual(result);
  });

  test("twice is the same as once", () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  test("can turn any object into any other that holds no null", () => {
    fc.assert(
      fc.property(withoutNulls, withoutNulls, (from, to) => {
        expect(mergePatch(from, patchBetween(from, to))).toEqual(to);
      }),
    );
  });

  test("an empty patch changes nothing, and no patch changes its arguments", () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        mergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json, { noNullPrototype: true }), (target) => {
        expect(mergePatch(target, {})).toEqual(target);
      }),
    );
  });

  test("takes __proto__ for a key, not for a prototype", () => {
    const patched = mergePatch({}, JSON.parse('{"__proto__": {"role": "admin"}}'));
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(Object.keys(asRecord(patched))).toEqual(["__proto__"]);
    expect(asRecord(patched)["role"]).toBeUndefined();
  });
});
