import { expect, test } from "vitest";

import { parseSince } from "./shared-options.ts";

const nowMs = Date.parse("2026-01-08T12:00:00Z");

test.each([
  ["30m", "2026-01-08T11:30:00.000Z"],
  ["1h30m", "2026-01-08T10:30:00.000Z"],
  ["7d", "2026-01-01T12:00:00.000Z"],
  ["2026-01-02", "2026-01-02T00:00:00.000Z"],
  ["2026-01-02T09:30:00+01:00", "2026-01-02T08:30:00.000Z"],
])("%s is %s", (text, time) => {
  expect(parseSince(text, nowMs)).toBe(time);
});

test.each(["", "7", "yesterday", "-1h", "2026", "2026-13-01", "99999d", "2026-01-02T09:30:00"])(
  "«%s» is refused",
  (text) => {
    expect(() => parseSince(text, nowMs)).toThrow("neither a duration such as 30m");
  },
);
