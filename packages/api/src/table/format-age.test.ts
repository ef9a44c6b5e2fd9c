import { expect, test } from "vitest";

import { formatAge } from "./format-age.ts";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;
const y = 365 * d;

// The expected texts are those of kubectl for the same durations.
test.each([
  [0, "0s"],
  [999, "0s"],
  [5 * s, "5s"],
  [119 * s, "119s"],
  [2 * m, "2m"],
  [3 * m + 2 * s, "3m2s"],
  [9 * m + 59 * s, "9m59s"],
  [10 * m + 59 * s, "10m"],
  [179 * m, "179m"],
  [3 * h, "3h"],
  [4 * h + 1 * m, "4h1m"],
  [7 * h + 59 * m, "7h59m"],
  [8 * h + 59 * m, "8h"],
  [47 * h, "47h"],
  [2 * d, "2d"],
  [2 * d + 1 * h, "2d1h"],
  [7 * d + 23 * h, "7d23h"],
  [8 * d + 23 * h, "8d"],
  [12 * d, "12d"],
  [729 * d, "729d"],
  [2 * y, "2y"],
  [2 * y + 1 * d, "2y1d"],
  [7 * y + 364 * d, "7y364d"],
  [8 * y + 364 * d, "8y"],
  [-1 * s, "0s"],
  [-2 * s, "<invalid>"],
  [Number.NaN, "<invalid>"],
])("%d ms is %s", (durationMs, text) => {
  expect(formatAge(durationMs)).toBe(text);
});
