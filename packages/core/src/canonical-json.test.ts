import { expect, test } from "vitest";

import { canonicalJson } from "./canonical-json.ts";

test("equal values have one text, whatever order their keys were written in", () => {
  const text = canonicalJson({ b: [1, "x", { d: null, c: true }], a: "ä" });
  expect(text).toBe('{"a":"ä","b":[1,"x",{"c":true,"d":null}]}');
  expect(canonicalJson({ a: "ä", b: [1, "x", { c: true, d: null }] })).toBe(text);
});

test("the order of lists and the types of values are part of it", () => {
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  expect(canonicalJson({ a: "1" })).not.toBe(canonicalJson({ a: 1 }));
});
