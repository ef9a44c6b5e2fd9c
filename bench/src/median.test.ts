import { expect, it } from "vitest";

import { median, percentile } from "./median.ts";

it("takes the middle of an odd and the mean of the two middle of an even number of rounds", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 7])).toBe(6);
});

it("takes percentiles by rank", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values, 0.5)).toBe(51);
  expect(percentile(values, 0.99)).toBe(100);
  expect(percentile([3], 0.99)).toBe(3);
});
