import * as fc from "fast-check";
import { expect, test } from "vitest";

import { nextRun, parseCronSchedule } from "./cron-schedule.ts";

function runsAfter(schedule: string, after: string, count: number): string[] {
  const parsed = parseCronSchedule(schedule);
  const runs: string[] = [];
  let timeMs = Date.parse(after);
  while (runs.length < count) {
    const nextMs = nextRun(parsed, timeMs);
    if (nextMs === undefined) break;
    runs.push(new Date(nextMs).toISOString().slice(0, 16));
    timeMs = nextMs;
  }
  return runs;
}

test.each([
  ["*/1 * * * *", ["2026-03-01T10:31", "2026-03-01T10:32"]],
  ["*/20 * * * *", ["2026-03-01T10:40", "2026-03-01T11:00"]],
  ["5,35 9-11 * * *", ["2026-03-01T10:35", "2026-03-01T11:05"]],
  ["10-30/10 * * * *", ["2026-03-01T11:10", "2026-03-01T11:20"]],
  ["7/25 * * * *", ["2026-03-01T10:32", "2026-03-01T10:57"]],
  ["0 0 * * mon", ["2026-03-02T00:00", "2026-03-09T00:00"]],
  ["0 0 * * 7", ["2026-03-08T00:00", "2026-03-15T00:00"]],
  ["0 12 1 */2 *", ["2026-03-01T12:00", "2026-05-01T12:00"]],
  ["0 0 29 feb *", ["2028-02-29T00:00", "2032-02-29T00:00"]],
  ["@hourly", ["2026-03-01T11:00", "2026-03-01T12:00"]],
  ["@yearly", ["2027-01-01T00:00", "2028-01-01T00:00"]],
])("%s", (schedule, runs) => {
  expect(runsAfter(schedule, "2026-03-01T10:30:30Z", 2)).toEqual(runs);
});

test("with both day fields restricted, either makes a day", () => {
  expect(runsAfter("0 0 13 * fri", "2026-03-01T00:00:00Z", 4)).toEqual([
    "2026-03-06T00:00",
    "2026-03-13T00:00",
    "2026-03-20T00:00",
    "2026-03-27T00:00",
  ]);
});

test("a day that never comes has no next run", () => {
  expect(runsAfter("0 0 31 feb *", "2026-03-01T00:00:00Z", 1)).toEqual([]);
});

test.each([
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "*/0 * * * *",
  "5-1 * * * *",
  "a * * * *",
  "1//2 * * * *",
  "1-2-3 * * * *",
])("%j cannot be read", (schedule) => {
  expect(() => parseCronSchedule(schedule)).toThrow(/cannot be read/);
});

test("the next run is later, on a whole minute, and fits the schedule", () => {
  const minute = fc.integer({ min: 0, max: 59 });
  const hour = fc.integer({ min: 0, max: 23 });
  fc.assert(
    fc.property(minute, hour, fc.integer({ min: 0, max: 4e12 }), (minute, hour, afterMs) => {
      const nextMs = nextRun(parseCronSchedule(`${minute} ${hour} * * *`), afterMs) ?? Number.NaN;
      expect(nextMs).toBeGreaterThan(afterMs);
      expect(nextMs - afterMs).toBeLessThanOrEqual(86_400_000);
      expect(new Date(nextMs).toISOString().slice(11)).toBe(
        `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00.000Z`,
      );
    }),
  );
});
