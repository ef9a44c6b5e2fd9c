import { expect, test } from "vitest";

import { isDateTime } from "./read-string.ts";

test.each(["2026-01-31T12:00:00Z", "2024-02-29T23:59:59.123456789+14:00", "0001-01-01T00:00:00Z"])(
  "%s is a time",
  (text) => {
    expect(isDateTime(text)).toBe(true);
  },
);

test.each([
  "2026-01-31",
  "2026-01-31 12:00:00Z",
  "2026-01-31T12:00:00",
  "2026-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T12:60:00Z",
  "2026-01-31T12:00:00z",
  "2026-01-31T12:00:00+1:00",
  "12026-01-31T12:00:00Z",
  "",
])("%s is none", (text) => {
  expect(isDateTime(text)).toBe(false);
});
