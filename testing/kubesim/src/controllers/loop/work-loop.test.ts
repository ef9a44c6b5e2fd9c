import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { SimStatusError } from "../../store/sim-status-error.ts";
import { WorkLoop } from "./work-loop.ts";

function conflict(): SimStatusError {
  return new SimStatusError({ code: 409, reason: "Conflict", message: "try again" });
}

test("a key that waits is not queued twice, but one that is being worked on is", async () => {
  const loop = new WorkLoop({ clock: new ManualClock() });
  const seen: string[] = [];
  const queue = loop.queue("q", (key) => {
    seen.push(key);
    if (seen.length === 1) queue.add("a");
  });
  queue.add("a");
  queue.add("a");
  queue.add("b");
  await loop.settled();
  expect(seen).toEqual(["a", "b", "a"]);
});

test("of several delays the first to end counts, and each key comes once", async () => {
  const clock = new ManualClock();
  const loop = new WorkLoop({ clock });
  const seen: string[] = [];
  const queue = loop.queue("q", (key) => seen.push(`${key}@${clock.monotonicMs()}`));
  queue.addAfter("a", 500);
  queue.addAfter("a", 100);
  queue.addAfter("a", 300);
  queue.addAfter("b", 200);
  await clock.advance(1_000);
  expect(seen).toEqual(["a@100", "b@200"]);
  expect(clock.pending).toBe(0);
});

test("a refused write is tried again, later each time, until it succeeds", async () => {
  const clock = new ManualClock();
  const loop = new WorkLoop({ clock });
  const tries: number[] = [];
  const queue = loop.queue("q", () => {
    tries.push(clock.monotonicMs());
    if (tries.length < 4) throw conflict();
  });
  queue.add("a");
  await clock.advance(1_000);
  expect(tries).toEqual([0, 5, 15, 35]);
});

test("an object that a controller trips over is reported and stops nobody else", async () => {
  const errors: unknown[] = [];
  const clock = new ManualClock();
  const loop = new WorkLoop({ clock, onError: (error, queue, key) => errors.push([error, queue, key]) });
  const seen: string[] = [];
  const broken = new TypeError("no such field");
  const queue = loop.queue("q", (key) => {
    seen.push(key);
    if (key === "bad") throw broken;
  });
  queue.add("bad");
  queue.add("good");
  await loop.settled();
  expect(seen).toEqual(["bad", "good"]);
  expect(errors).toEqual([[broken, "q", "bad"]]);
});

test("a loop that is stopped does nothing more and holds no timer", async () => {
  const clock = new ManualClock();
  const loop = new WorkLoop({ clock });
  const seen: string[] = [];
  const queue = loop.queue("q", (key) => seen.push(key));
  queue.add("a");
  queue.addAfter("b", 100);
  const settled = loop.settled();
  loop.stop();
  await settled;
  queue.add("c");
  await clock.advance(1_000);
  expect(seen).toEqual([]);
  expect(clock.pending).toBe(0);
});
