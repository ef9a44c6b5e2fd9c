import { array, assert, integer, property, record } from "fast-check";
import { expect, test } from "vitest";

import type { LogLine } from "./log-line.ts";
import { LogRing } from "./log-ring.ts";

let nextId = 1;

function line(ms: number, text = "", source = 0): LogLine {
  return {
    id: nextId++,
    source,
    time: { ms, nanos: 0 },
    text,
    plain: text,
    isNote: false,
  };
}

const texts = (lines: readonly LogLine[]): string[] => lines.map(({ text }) => text);

test("lines of several sources are one list by time", () => {
  const ring = new LogRing();
  ring.add([line(1, "a1"), line(4, "a4"), line(9, "a9")]);
  ring.add([line(2, "b2", 1), line(4, "b4", 1), line(12, "b12", 1)]);
  expect(texts(ring.lines)).toEqual(["a1", "b2", "a4", "b4", "a9", "b12"]);
});

test("the oldest go when there are too many, and are counted", () => {
  const ring = new LogRing({ lines: 3, bytes: 1_000_000 });
  expect(ring.add([line(1, "a"), line(2, "b")])).toEqual([]);
  expect(texts(ring.add([line(3, "c"), line(4, "d"), line(5, "e")]))).toEqual(["a", "b"]);
  expect(texts(ring.lines)).toEqual(["c", "d", "e"]);
  expect(ring.lost).toBe(2);
});

test("the oldest go when they are too long, but never the newest", () => {
  const ring = new LogRing({ lines: 100, bytes: 1_000 });
  ring.add([line(1, "x".repeat(400)), line(2, "y".repeat(400))]);
  ring.add([line(3, "z".repeat(5_000))]);
  expect(texts(ring.lines)).toEqual(["z".repeat(5_000)]);
  expect(ring.lost).toBe(2);
  ring.clear();
  expect([ring.lines.length, ring.bytes, ring.lost]).toEqual([0, 0, 0]);
});

test("in whatever pieces lines come, they are the newest of them, in order", () => {
  const batches = array(
    array(record({ ms: integer({ min: 0, max: 50 }), source: integer({ min: 0, max: 3 }) })),
  );
  assert(
    property(batches, (all) => {
      const ring = new LogRing({ lines: 20, bytes: 1_000_000 });
      const added = all.flatMap((batch) => {
        const lines = batch.map(({ ms, source }) => line(ms, "", source));
        ring.add(lines);
        return lines;
      });
      const times = ring.lines.map(({ time }) => time.ms);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(ring.lines.length).toBe(Math.min(20, added.length));
      expect(ring.lost + ring.lines.length).toBe(added.length);
      expect(ring.bytes).toBe(ring.lines.length * 64);
    }),
  );
});

test("100,000 lines and 5,000 more are no effort", () => {
  const ring = new LogRing();
  ring.add(Array.from({ length: 100_000 }, (_, index) => line(index)));
  for (let second = 0; second < 50; second++) {
    ring.add(Array.from({ length: 100 }, (_, index) => line(100_000 + second * 100 + index)));
  }
  expect(ring.lines.length).toBe(100_000);
  expect(ring.lost).toBe(5_000);
});
