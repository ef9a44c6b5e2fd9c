import { expect, test } from "vitest";

import { seededRandom } from "./fixtures.ts";

test("gives the same numbers for the same seed, others for another, spread over 0 to 1", () => {
  const drawn = (seed: number): number[] => Array.from({ length: 10_000 }, seededRandom(seed));
  expect(drawn(7)).toEqual(drawn(7));
  expect(drawn(7)).not.toEqual(drawn(8));
  const tenths = Map.groupBy(drawn(7), (value) => Math.floor(value * 10));
  expect(tenths.size).toBe(10);
  for (const values of tenths.values()) expect(values.length).toBeGreaterThan(800);
});
