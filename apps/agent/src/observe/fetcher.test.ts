import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { Fetcher } from "./fetcher.ts";

function start(fetch: (target: string) => Promise<void>) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const lost: string[] = [];
  const state = { hasRoom: true };
  const fetcher = new Fetcher<string>({
    fetch,
    lost: (target) => lost.push(target),
    hasRoom: () => state.hasRoom,
    clock,
    random: () => 0,
    signal: stop.signal,
  });
  return { fetcher, clock, lost, state, stop };
}

test("a few are read at once, each once", async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const { fetcher } = start((target) => {
    asked.push(target);
    return new Promise((resolve) => answers.push(resolve));
  });
  for (const target of ["a", "a", "b", "c", "d", "e"]) fetcher.add(target);
  expect([asked, fetcher.size]).toEqual([["a", "b", "c", "d"], 6]);
  // What is being read is read again if it has changed since.
  for (const answer of answers) answer();
  await expect.poll(() => asked.toSorted()).toEqual(["a", "a", "b", "c", "d", "e"]);
  for (const answer of answers) answer();
  await expect.poll(() => fetcher.size).toBe(0);
});

test("nothing is read without room", async () => {
  const asked: string[] = [];
  const { fetcher, state } = start(async (target) => void asked.push(target));
  state.hasRoom = false;
  fetcher.add("a");
  expect(asked).toEqual([]);
  state.hasRoom = true;
  fetcher.resume();
  await expect.poll(() => fetcher.size).toBe(0);
  expect(asked).toEqual(["a"]);
});

test("failures are tried again, later and later, but not what is gone", async () => {
  let tries = 0;
  const { fetcher, clock, lost, stop } = start(async (target) => {
    if (target === "gone") throw new BowlineError("NotFound", "It is gone.");
    tries += 1;
    if (tries < 3) throw new BowlineError("ServerUnavailable", "Not now.");
  });
  fetcher.add("gone");
  fetcher.add("a");
  await clock.armed(800);
  expect([tries, lost]).toEqual([1, ["gone"]]);
  await clock.advance(800);
  await clock.armed(1_600);
  await clock.advance(1_600);
  await expect.poll(() => [tries, fetcher.size]).toEqual([3, 0]);
  stop.abort();
  fetcher.add("late");
  expect([tries, clock.pending]).toEqual([3, 0]);
});
