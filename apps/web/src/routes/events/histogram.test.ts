import { expect, test } from "vitest";

import { eventBuckets, tallest } from "./histogram.ts";

const nowMs = Date.parse("2026-01-02T10:00:30.000Z");
const options = { nowMs, spanMs: 600_000, count: 10 };

function event(lastSeenAt: string, type: "Normal" | "Warning" = "Normal") {
  return { type, lastSeenAt };
}

test("events are in the bar of the minute in which they last happened", () => {
  const buckets = eventBuckets(
    [
      event("2026-01-02T10:00:00.000Z"),
      event("2026-01-02T10:00:29.000Z", "Warning"),
      event("2026-01-02T09:51:00.000Z", "Warning"),
    ],
    options,
  );
  expect(buckets).toHaveLength(10);
  expect(buckets.at(-1)).toEqual({ startMs: Date.parse("2026-01-02T10:00:00.000Z"), normal: 1, warning: 1 });
  expect(buckets[0]).toEqual({ startMs: Date.parse("2026-01-02T09:51:00.000Z"), normal: 0, warning: 1 });
});

test("what is too old, yet to come or no time at all is in none", () => {
  const buckets = eventBuckets(
    [event("2026-01-02T09:50:59.999Z"), event("2026-01-02T10:01:00.000Z"), event("never")],
    options,
  );
  expect(buckets.every(({ normal, warning }) => normal + warning === 0)).toBe(true);
  expect(tallest(buckets)).toBe(1);
});

test("bars stand still while time goes on within one of them", () => {
  const starts = (ms: number): number[] =>
    eventBuckets([], { ...options, nowMs: ms }).map(({ startMs }) => startMs);
  expect(starts(nowMs + 29_000)).toEqual(starts(nowMs));
  expect(starts(nowMs + 30_000)).not.toEqual(starts(nowMs));
});

test("the tallest bar counts both types", () => {
  const twice = [event("2026-01-02T10:00:01.000Z"), event("2026-01-02T10:00:02.000Z", "Warning")];
  expect(tallest(eventBuckets(twice, options))).toBe(2);
});
