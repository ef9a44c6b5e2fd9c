import { expect, test } from "vitest";

import { parseByteSize, parsePrometheusDurationMs, smallerSize } from "./prometheus-values.ts";

test.each([
  ["30s", 30_000],
  ["1h30m", 5_400_000],
  ["1d", 86_400_000],
  ["100ms", 100],
  ["0", 0],
  ["", undefined],
  ["1.5h", undefined],
  ["30m1h", undefined],
  ["30", undefined],
])("the duration %s", (text, durationMs) => {
  expect(parsePrometheusDurationMs(text)).toBe(durationMs);
});

test.each([
  ["1KB", 1024],
  ["1KiB", 1024],
  ["2GB", 2 * 1024 ** 3],
  ["7", 7],
  ["1kb", undefined],
])("the size %s", (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

test("of two sizes the smaller is kept as it was written", () => {
  expect(smallerSize("2GB", "4000MB")).toBe("2GB");
  expect(smallerSize(undefined, "1MB")).toBe("1MB");
});
