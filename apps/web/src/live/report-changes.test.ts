import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { SettledCalls } from "./report-changes.ts";

test("many changes are one question, and the next one is a while apart", async () => {
  const clock = new ManualClock(0);
  let calls = 0;
  const settled = new SettledCalls(clock, () => (calls += 1));
  settled.changed();
  settled.changed();
  expect(calls).toBe(0);
  await clock.advance(700);
  expect(calls).toBe(1);
  settled.changed();
  await clock.advance(2_999);
  expect(calls).toBe(1);
  await clock.advance(1);
  expect(calls).toBe(2);
  await clock.advance(60_000);
  expect(calls).toBe(2);
  settled.changed();
  await clock.advance(700);
  expect(calls).toBe(3);
});

test("nothing is asked for a page that is closed", async () => {
  const clock = new ManualClock(0);
  let calls = 0;
  const settled = new SettledCalls(clock, () => (calls += 1));
  settled.changed();
  settled.close();
  await clock.advance(10_000);
  expect(calls).toBe(0);
});
