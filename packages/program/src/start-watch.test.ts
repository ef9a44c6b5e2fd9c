import { expect, test } from "vitest";

import { StartWatch } from "./start-watch.ts";

/** What was told after looks at a program that took so many milliseconds of each second. */
function toldAfter(...usedMs: number[]): string[] {
  const told: string[] = [];
  const watch = new StartWatch({ onBusy: () => told.push("busy"), onIdle: () => told.push("idle") });
  let user = 400_000;
  watch.look({ user, system: 0 });
  for (const used of usedMs) {
    user += used * 1_000;
    watch.look({ user, system: 0 });
  }
  return told;
}

test("the start is over after some idle seconds", () => {
  expect(toldAfter(600, 10, 10, 10, 10)).toEqual([]);
  expect(toldAfter(600, 10, 10, 10, 10, 10)).toEqual(["idle"]);
  expect(toldAfter(10, 10, 10, 10, 200, 200, 10)).toEqual(["idle"]);
});

test("of a long rest is told a few times", () => {
  expect(toldAfter(...Array.from({ length: 100 }, () => 10))).toEqual(["idle", "idle", "idle"]);
});

test("one busy second of a start is no work, two are", () => {
  expect(toldAfter(800, 100, 800, 100)).toEqual([]);
  expect(toldAfter(800, 800)).toEqual(["busy"]);
});

test("later, one second with a burst of requests is work", () => {
  expect(toldAfter(800, 100, 100, 100, 70, 200)).toEqual([]);
  expect(toldAfter(800, 100, 100, 100, 70, 250)).toEqual(["busy"]);
});

test("the first seconds may take more, later ones are work where others leave little time for it", () => {
  expect(toldAfter(800, 200, 200, 200, 200)).toEqual([]);
  expect(toldAfter(800, 200, 200, 200, 200, 100, 20, 100, 100)).toEqual(["busy"]);
});

test("work may come later, and is told once", () => {
  expect(toldAfter(0, 0, 0, 0, 0, 0, 0, 0, 0, 900, 900, 900, 900)).toEqual(["idle", "busy"]);
});

test("nothing is told of a program that rests after work", () => {
  expect(toldAfter(900, 900, 0, 0, 0, 0, 0, 0, 0, 0)).toEqual(["busy"]);
});
