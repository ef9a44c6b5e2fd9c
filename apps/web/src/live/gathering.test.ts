import { ManualClock } from "@bowline/core/testing";
import { beforeEach, expect, test } from "vitest";

import { Gathering } from "./gathering.ts";

let clock: ManualClock;
let frames: (() => void)[];
let told: number;
let gathering: Gathering;

beforeEach(() => {
  clock = new ManualClock(0);
  frames = [];
  told = 0;
  gathering = new Gathering({
    clock,
    schedule: (callback) => frames.push(callback),
    tell: () => void (told += 1),
  });
});

function drawFrame(): void {
  for (const callback of frames.splice(0)) callback();
}

test("changes are told once per picture", () => {
  gathering.add();
  gathering.add(40);
  drawFrame();
  drawFrame();
  expect(told).toBe(1);
  gathering.add();
  drawFrame();
  expect(told).toBe(2);
});

test("after many, others are waited for", async () => {
  gathering.add(51);
  drawFrame();
  gathering.add();
  drawFrame();
  expect(told).toBe(1);
  await clock.advance(250);
  drawFrame();
  expect(told).toBe(2);
});

test("nothing is told after the wait where nothing came", async () => {
  gathering.add(51);
  drawFrame();
  await clock.advance(250);
  drawFrame();
  expect(told).toBe(1);
});

test("the wait ends when something is in a hurry", () => {
  gathering.add(51);
  drawFrame();
  gathering.add();
  gathering.hurry();
  drawFrame();
  expect(told).toBe(2);
});

test("one that was closed in a wait tells again when it is used again", () => {
  gathering.add(51);
  drawFrame();
  gathering.close();
  gathering.add();
  drawFrame();
  expect(told).toBe(2);
});
