import { expect, test } from "vitest";

import { durationText } from "./state-lines.ts";

test.each([
  [-5, "0s"],
  [59_999, "59s"],
  [60_000, "1m00s"],
  [3_599_000, "59m59s"],
  [3_660_000, "1h01m"],
  [360_000_000, "100h00m"],
])("%i ms are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
