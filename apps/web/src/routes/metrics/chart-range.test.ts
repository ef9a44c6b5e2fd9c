import { expect, test } from "vitest";

import { metricsSearch, rangeAt } from "./chart-range.ts";
import { summarize } from "./chart-table.tsx";

const nowMs = Date.parse("2026-01-02T10:00:42.500Z");

test("a chart ends at a whole step, so that the same samples are asked for while it goes on", () => {
  const range = rangeAt(nowMs, "1h", "1m");
  expect(range).toEqual({
    startMs: Date.parse("2026-01-02T09:00:00.000Z"),
    endMs: Date.parse("2026-01-02T10:00:00.000Z"),
    stepMs: 60_000,
  });
  expect(rangeAt(nowMs + 10_000, "1h", "1m")).toEqual(range);
});

test.each([
  ["15m", undefined, 5_000],
  ["1h", undefined, 15_000],
  ["6h", undefined, 300_000],
  ["7d", undefined, 3_600_000],
  // As asked, it would be 120,960 points.
  ["7d", "5s", 302_400],
] as const)("the step of %s with %s is %i ms", (range, step, stepMs) => {
  expect(rangeAt(nowMs, range, step).stepMs).toBe(stepMs);
});

test("an address of charts keeps what there is, and nothing else", () => {
  expect(metricsSearch({ query: 1, service: "m/p:9090", range: "6h", step: "1m", other: 1 })).toEqual({
    query: "1",
    service: "m/p:9090",
    range: "6h",
    step: "1m",
  });
  expect(metricsSearch({ query: "", service: {}, range: "constructor", step: 5 })).toEqual({});
});

test("a line is told in numbers, without its holes", () => {
  expect(summarize({ values: [null, 4, 2, null, 6, null] })).toEqual({
    last: 6,
    lowest: 2,
    highest: 6,
    mean: 4,
  });
  expect(summarize({ values: [null] })).toEqual({
    last: undefined,
    lowest: undefined,
    highest: undefined,
    mean: undefined,
  });
});
