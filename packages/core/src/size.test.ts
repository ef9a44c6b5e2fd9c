import { expect, test } from "vitest";

import { parseSizeBytes } from "./size.ts";

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
