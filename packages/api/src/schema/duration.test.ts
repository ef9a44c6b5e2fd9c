import { expect, test } from "vitest";

import { parseDurationMs } from "./duration.ts";

test.each([
  ["10s", 10_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["250ms", 250],
  ["1m500ms", 60_500],
  ["0s", 0],
])("%s is %d ms", (text, durationMs) => {
  expect(parseDurationMs(text)).toBe(durationMs);
});

test.each(["", "10", "s", "1 h", "-1s", "1d", "1h30", ".5s", "1..5s", "9".repeat(40) + "s"])(
  "«%s» is no duration",
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
