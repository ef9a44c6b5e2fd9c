import { expect, test } from "vitest";

import { parseDurationMs } from "./duration.ts";

test.each([
  ["10s", 10_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["250ms", 250],
  ["1m500ms", 60_500],
  ["0s", 0],
  ["1d", 86_400_000],
  ["1d12h", 129_600_000],
  ["2w", 14 * 86_400_000],
  ["1y", 365 * 86_400_000],
])("%s is %d ms", (text, durationMs) => {
  expect(parseDurationMs(text)).toBe(durationMs);
});

test.each(["", "10", "s", "1 h", "-1s", "1D", "1h30", ".5s", "1..5s", "1mo", "9".repeat(40) + "s"])(
  "«%s» is no duration",
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
