import { expect, test } from "vitest";

import { gatherDelayMs } from "./gather-delay.ts";

test("few are written at once, many together, and nobody waits for long", () => {
  expect([0, 1, 5, 50, 125, 2_000].map(gatherDelayMs)).toEqual([20, 20, 20, 200, 500, 500]);
});
