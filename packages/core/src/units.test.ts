import { expect, test } from "vitest";

import { parseDurationMs, parseQuantity, parseSizeBytes } from "./units.ts";

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

test.each([
  ["0", 0],
  ["1500", 1500],
  ["512KiB", 512 * 1024],
  ["10Mi", 10 * 1024 ** 2],
  ["4MiB", 4 * 1024 ** 2],
  ["2Gi", 2 * 1024 ** 3],
  ["1TiB", 1024 ** 4],
])("%s is %d bytes", (text, bytes) => {
  expect(parseSizeBytes(text)).toBe(bytes);
});

test.each(["", "KiB", "1 KiB", "1KB", "1M", "1.5GiB", "-1", "1kib", "1234567890"])(
  "«%s» is no size",
  (text) => {
    expect(parseSizeBytes(text)).toBeUndefined();
  },
);
