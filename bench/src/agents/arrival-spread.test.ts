import { expect, test } from "vitest";

import { arrivalSpread } from "./arrival-spread.ts";

test("counts from the beginning, and finds the busiest second wherever it begins", () => {
  const spread = arrivalSpread([5_400, 3_000, 1_500, 1_900, 2_499, 2_500], 1_000);
  expect(spread).toEqual({
    firstSeconds: 0.5,
    p50Seconds: 1.5,
    p95Seconds: 4.4,
    lastSeconds: 4.4,
    mostInOneSecond: 3,
  });
});
