import { expect, test } from "vitest";

import { parseQuantity } from "./quantity.ts";

test.each([
  ["12.124", 12.124],
  ["1100m", 1.1],
  ["2Ki", 2048],
  ["1e3", 1000],
  [".5", 0.5],
  ["-1k", -1000],
  [3, 3],
  ["many", undefined],
  ["", undefined],
  [".", undefined],
  ["1Xi", undefined],
  ["1mi", undefined],
  ["1e999", undefined],
  ["constructor", undefined],
  [{}, undefined],
])("the quantity %s", (value, number) => {
  expect(parseQuantity(value)).toBe(number);
});

test.each([
  ["1000m", "1"],
  ["1024Mi", "1Gi"],
  ["0.3", "300m"],
  ["1.1", "1100m"],
  ["100e-3", "100m"],
  ["1500u", "1.5m"],
])("%s is as much as %s", (one, other) => {
  expect(parseQuantity(one)).toBe(parseQuantity(other));
});
