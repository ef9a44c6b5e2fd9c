import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { EpochSource } from "./epoch-source.ts";

test("epochs are times, and grow even where the clock does not", async () => {
  const clock = new ManualClock(1_000_000);
  const epochs = new EpochSource(clock);
  expect([epochs.next(), epochs.next()]).toEqual([1_000_000n, 1_000_001n]);
  await clock.advance(5_000);
  expect(epochs.next()).toBe(1_005_000n);
  clock.setNow(0);
  expect(epochs.next()).toBe(1_005_001n);
});

test("one that was refused is followed by leaps ahead, unless it had been in use", () => {
  const clock = new ManualClock(1_000_000);
  const epochs = new EpochSource(clock);
  epochs.next();
  epochs.refused(true);
  expect(epochs.next()).toBe(1_000_001n);
  epochs.refused(false);
  expect(epochs.next()).toBe(1_060_000n);
  epochs.refused(false);
  expect(epochs.next()).toBe(1_120_000n);
  // Another agent of the same cluster, started later, is ahead by its clock alone.
  for (let count = 0; count < 40; count++) epochs.refused(false);
  expect(epochs.next()).toBe(1_000_000n + 2_592_000_000n);
});
