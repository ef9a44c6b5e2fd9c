import { expect, test } from "vitest";

import { beforeLastChange, stepInTime, timeAxis } from "./time-axis.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");
const at = (minutes: number): string => new Date(startMs + minutes * 60_000).toISOString();

const axis = timeAxis({
  since: at(0),
  until: at(100),
  keptSince: at(0),
  stepMs: 10 * 60_000,
  steps: [
    { at: at(20), came: 5, changed: 0, went: 0 },
    { at: at(50), came: 10, changed: 80, went: 9 },
  ],
  gaps: [
    { cluster: "edge", kind: "", namespace: "", from: at(0), to: at(10), state: "UNKNOWN" },
    { cluster: "edge", kind: "Secret", namespace: "", from: at(5), to: at(20), state: "FORBIDDEN" },
    { cluster: "edge", kind: "Pod", namespace: "", from: at(90), to: at(100), state: "FAILING" },
  ],
});

test("bars stand where something changed, the highest where most did", () => {
  expect(axis.bars.map(({ x, width }) => [x, width])).toEqual([
    [0.2, 0.1],
    [0.5, 0.1],
  ]);
  expect(axis.bars[1]?.height).toBe(1);
  expect(axis.bars[0]?.height).toBeGreaterThan(0.2);
  expect(axis.bars[1]?.title).toBe("10 came, 80 changed, 9 went");
});

test("times that were not observed are one where they overlap", () => {
  expect(axis.gaps.map(({ x, width }) => [x, Math.round(width * 100)])).toEqual([
    [0, 20],
    [0.9, 10],
  ]);
});

test("steps go from change to change, before and after it, and forward in the end to now", () => {
  const minutes = (timeMs: number | undefined): number | undefined =>
    timeMs === undefined ? undefined : Math.round((timeMs - startMs) / 60_000);
  const back: (number | undefined)[] = [];
  for (let time = stepInTime(axis, undefined, "back"); back.length < 5;) {
    back.push(minutes(time));
    time = stepInTime(axis, time, "back");
  }
  expect(back).toEqual([60, 50, 30, 20, 0]);
  expect(stepInTime(axis, startMs + 60 * 60_000, "forward")).toBeUndefined();
  expect(minutes(stepInTime(axis, startMs, "forward"))).toBe(20);
  expect(stepInTime(axis, undefined, "forward")).toBeUndefined();
});

test("two times are compared from just before the last change on", () => {
  expect(beforeLastChange(axis)).toBe(startMs + 50 * 60_000 - 1);
  expect(beforeLastChange(axis, startMs + 30 * 60_000)).toBe(startMs + 20 * 60_000 - 1);
  expect(beforeLastChange(axis, startMs)).toBe(startMs);
});

test("a range in which nothing happened has no bars, and steps lead to its beginning", () => {
  const quiet = timeAxis({
    since: at(0),
    until: at(0),
    keptSince: at(0),
    stepMs: 1,
    steps: [],
    gaps: [],
  });
  expect(quiet).toMatchObject({ bars: [], gaps: [] });
  expect(stepInTime(quiet, undefined, "back")).toBe(startMs);
});
