import { expect, test } from "vitest";

import { checkDepth } from "./check-depth.ts";

function nestedArrays(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

test("allows as many levels as it says and no more", () => {
  expect(checkDepth(nestedArrays(32))).toBeUndefined();
  expect(checkDepth(nestedArrays(33))).toEqual({
    path: "",
    message: "must not be nested deeper than 32 levels",
  });
  expect(checkDepth({ a: { b: {} } }, { maxDepth: 2 })).toBeDefined();
});

test("needs no stack for what is very deep", () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 1_000_000; depth += 1) value = { value };
  expect(checkDepth(value)).toBeDefined();
});

test("counts values at every level", () => {
  expect(checkDepth({ a: [1, 2], b: [3] }, { maxValues: 6 })).toBeUndefined();
  expect(checkDepth({ a: [1, 2], b: [3] }, { maxValues: 5 })).toEqual({
    path: "",
    message: "must not hold more than 5 values",
  });
});

test.each([undefined, null, 5, "text", true])("%j has no depth", (value) => {
  expect(checkDepth(value)).toBeUndefined();
});
