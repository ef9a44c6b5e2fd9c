import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { reportObstacles } from "./report-obstacles.ts";

test("what is in the way of an informer is told once, and again when it is something else", async () => {
  const clock = new ManualClock();
  const told: string[] = [];
  let error: BowlineError | undefined;
  const informer = {
    start: () => {},
    stop: async () => {},
    synced: async () => {},
    state: () => ({ error }),
  };
  const watched = reportObstacles(informer, { clock, onError: ({ message }) => void told.push(message) });
  watched.start();
  await clock.advance(60_000);
  expect(told).toEqual([]);
  error = new BowlineError("Forbidden", "It may not list secrets.");
  await clock.advance(60_000);
  expect(told).toEqual(["It may not list secrets."]);
  error = undefined;
  await clock.advance(5_000);
  error = new BowlineError("Forbidden", "It may not list secrets.");
  await clock.advance(60_000);
  expect(told).toHaveLength(2);
  await watched.stop();
  error = new BowlineError("Forbidden", "It may not list pods.");
  await clock.advance(60_000);
  expect(told).toHaveLength(2);
});
