import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { reportErrors } from "./add-informers.ts";

test("an error of an informer is reported once, and again when it is something else", async () => {
  const clock = new ManualClock();
  const reported: string[] = [];
  let error: BowlineError | undefined;
  const informer = {
    start: () => {},
    stop: async () => {},
    synced: async () => {},
    state: () => ({ error }),
  };
  const watched = reportErrors(informer, { clock, onError: ({ message }) => void reported.push(message) });
  watched.start();
  await clock.advance(60_000);
  expect(reported).toEqual([]);
  error = new BowlineError("Forbidden", "It may not list secrets.");
  await clock.advance(60_000);
  expect(reported).toEqual(["It may not list secrets."]);
  error = undefined;
  await clock.advance(5_000);
  error = new BowlineError("Forbidden", "It may not list secrets.");
  await clock.advance(60_000);
  expect(reported).toHaveLength(2);
  await watched.stop();
  error = new BowlineError("Forbidden", "It may not list pods.");
  await clock.advance(60_000);
  expect(reported).toHaveLength(2);
});
