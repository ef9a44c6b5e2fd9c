import { getEventListeners } from "node:events";

import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Priority } from "./queue-entry.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

const backoff = { baseMs: 100, maxMs: 1000, factor: 2, jitter: 0 };

let clock: ManualClock;
let queue: WorkQueue;

beforeEach(() => {
  clock = new ManualClock();
  queue = newQueue();
});
afterEach(() => expectNoTimerLeft());

function expectNoTimerLeft(): void {
  expect(clock.pending).toBe(0);
}

function newQueue(options: Partial<WorkQueueOptions> = {}): WorkQueue {
  return new WorkQueue({ clock, random: () => 0, backoff, ...options });
}

/** The keys that can be taken now, without waiting. */
async function takeNow(from: WorkQueue = queue): Promise<string | undefined> {
  const stop = new AbortController();
  const taken = from.take(stop.signal);
  stop.abort();
  return taken;
}

async function takeAllNow(from: WorkQueue = queue): Promise<string[]> {
  const keys: string[] = [];
  for (let key = await takeNow(from); key !== undefined; key = await takeNow(from)) keys.push(key);
  return keys;
}

describe("keys", () => {
  test("come out in the order they came in, each once", async () => {
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(await takeAllNow()).toEqual(["a", "b", "c"]);
  });

  test("are handed to those who wait, the first come first", async () => {
    const first = queue.take();
    const second = queue.take();
    queue.add("a");
    queue.add("b");
    expect([await first, await second]).toEqual(["a", "b"]);
  });

  test("that are added while somebody works on them come out once more, after that", async () => {
    queue.add("a");
    expect(await takeNow()).toBe("a");
    queue.add("a");
    queue.add("a");
    expect(await takeNow()).toBeUndefined();
    queue.done("a");
    expect(await takeAllNow()).toEqual(["a"]);
    queue.done("a");
    expect(await takeNow()).toBeUndefined();
  });

  test("cannot be done when nobody took them", async () => {
    queue.add("a");
    expect(() => queue.done("a")).toThrow(/nobody took/);
    expect(() => queue.done("b")).toThrow(/nobody took/);
  });

  test("leave nothing behind when they are done", async () => {
    queue.add("a");
    await takeNow();
    queue.done("a");
    expect(queue.state()).toMatchObject({ ready: 0, delayed: 0, active: 0 });
    expect(() => queue.done("a")).toThrow(/nobody took/);
  });
});

describe("waiting", () => {
  test("ends with the signal, and leaves no listener and no timer", async () => {
    const stop = new AbortController();
    queue.addAfter("a", 50);
    const taken = queue.take(stop.signal);
    expect(clock.pending).toBe(1);
    stop.abort();
    expect(await taken).toBeUndefined();
    expect(clock.pending).toBe(0);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  test("for one key does not take it from the others when the signal came first", async () => {
    const stop = new AbortController();
    const gone = queue.take(stop.signal);
    const here = queue.take();
    stop.abort();
    queue.add("a");
    expect([await gone, await here]).toEqual([undefined, "a"]);
  });
});

describe("delays", () => {
  test("hold a key back until its time", async () => {
    queue.addAfter("a", 100);
    const taken = queue.take();
    await clock.advance(99);
    expect(queue.state()).toMatchObject({ ready: 0, delayed: 1, active: 0 });
    await clock.advance(1);
    expect(await taken).toBe("a");
  });

  test.each([
    ["a later one is ignored", [100, 200]],
    ["an earlier one counts", [200, 100]],
    ["of many the earliest counts", [300, 100, 200, 150]],
  ])("%s", async (_rule, delaysMs) => {
    for (const delayMs of delaysMs) queue.addAfter("a", delayMs);
    await clock.advance(99);
    expect(await takeNow()).toBeUndefined();
    await clock.advance(1);
    expect(await takeNow()).toBe("a");
    queue.done("a");
    await clock.advance(1000);
    expect(await takeNow()).toBeUndefined();
  });

  test("do not hold back a key that is added, and are forgotten then", async () => {
    queue.addAfter("a", 100);
    queue.add("a");
    expect(await takeNow()).toBe("a");
    queue.done("a");
    await clock.advance(1000);
    expect(await takeNow()).toBeUndefined();
  });

  test("that end while somebody works on the key make it follow", async () => {
    queue.add("a");
    await takeNow();
    queue.addAfter("a", 10);
    await clock.advance(10);
    expect(await takeNow()).toBeUndefined();
    queue.done("a");
    expect(await takeNow()).toBe("a");
  });

  test("of nothing or less are none; what is no number is refused", async () => {
    queue.addAfter("a", 0);
    queue.addAfter("b", -1);
    expect(await takeAllNow()).toEqual(["a", "b"]);
    expect(() => queue.addAfter("c", Number.NaN)).toThrow(/not a number/);
  });
});

describe("failures", () => {
  test("make a key wait longer each time, up to the limit, until it is forgotten", () => {
    const delaysMs = [1, 2, 3, 4, 5, 6].map(() => queue.backoff.failed("a"));
    expect(delaysMs).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(queue.backoff.failures("a")).toBe(6);
    queue.forget("a");
    expect(queue.backoff.failed("a")).toBe(100);
  });

  test("of one key do not slow down another", () => {
    queue.backoff.failed("a");
    queue.backoff.failed("a");
    expect(queue.backoff.failed("b")).toBe(100);
  });
});

describe("priorities", () => {
  test("the higher goes first, and order is kept within one", async () => {
    const added: [string, Priority][] = [
      ["l1", "low"],
      ["n1", "normal"],
      ["h1", "high"],
      ["l2", "low"],
      ["h2", "high"],
      ["n2", "normal"],
    ];
    for (const [key, priority] of added) queue.add(key, { priority });
    expect(await takeAllNow()).toEqual(["h1", "h2", "n1", "n2", "l1", "l2"]);
  });

  test("a key keeps the highest it was given", async () => {
    queue.add("a", { priority: "low" });
    queue.add("b");
    queue.add("a", { priority: "high" });
    queue.add("a", { priority: "low" });
    expect(await takeAllNow()).toEqual(["a", "b"]);
  });

  test("a key that waits for a time, or is worked on, is raised as well", async () => {
    queue.add("active", { priority: "low" });
    await takeNow();
    queue.add("active", { priority: "low" });
    queue.addAfter("delayed", 10, { priority: "low" });
    queue.add("active", { priority: "high" });
    queue.addAfter("delayed", 10, { priority: "high" });
    await clock.advance(10);
    queue.add("normal");
    queue.done("active");
    // The one that was delayed was due before the other was done.
    expect((await takeAllNow()).toSorted()).toEqual(["active", "delayed", "normal"]);
  });

  test("a key that was taken starts from the lowest again", async () => {
    queue.add("a", { priority: "high" });
    await takeNow();
    queue.add("b");
    queue.add("a", { priority: "low" });
    queue.done("a");
    expect(await takeAllNow()).toEqual(["b", "a"]);
  });

  test("a level that has nothing waiting does not save up turns", async () => {
    for (let index = 0; index < 100; index += 1) queue.add(`high-${index}`, { priority: "high" });
    await takeAllNow();
    queue.add("low", { priority: "low" });
    queue.add("high", { priority: "high" });
    expect(await takeAllNow()).toEqual(["high", "low"]);
  });

  test("a low key waits for 16 others at most, however many higher ones come", async () => {
    queue.add("low", { priority: "low" });
    const before: string[] = [];
    for (let index = 0; index < 100; index += 1) {
      queue.add(`high-${index}`, { priority: "high" });
      const key = await takeNow();
      if (key === "low") break;
      before.push(String(key));
    }
    expect(before).toHaveLength(16);
  });
});

describe("the rate limit", () => {
  test("lets a burst go, then one at a time", async () => {
    const limited = newQueue({ rateLimit: { perSecond: 10, burst: 3 } });
    for (const key of ["a", "b", "c", "d", "e"]) limited.add(key);
    expect(await takeAllNow(limited)).toEqual(["a", "b", "c"]);
    const fourth = limited.take();
    const fifth = limited.take();
    await clock.advance(99);
    expect(limited.state().active).toBe(3);
    await clock.advance(1);
    expect(await fourth).toBe("d");
    await clock.advance(100);
    expect(await fifth).toBe("e");
  });

  test.each([
    { perSecond: 0, burst: 1 },
    { perSecond: 1, burst: 0 },
    { perSecond: Number.NaN, burst: 1 },
  ])("must make sense: $perSecond per second, burst $burst", (rateLimit) => {
    expect(() => newQueue({ rateLimit })).toThrow(/rate limit/);
  });
});

describe("state", () => {
  test("says how long keys wait and are worked on", async () => {
    queue.add("a");
    queue.add("b");
    await clock.advance(30);
    await takeNow();
    await clock.advance(20);
    await takeNow();
    queue.add("c");
    await clock.advance(5);
    expect(queue.state()).toEqual({
      ready: 1,
      delayed: 0,
      active: 2,
      oldestReadyMs: 5,
      unfinishedWorkMs: 25 + 5,
      longestRunningMs: 25,
    });
  });

  test("the observer hears of every change", async () => {
    const heard: unknown[] = [];
    const observed = newQueue({
      observer: {
        added: () => heard.push("added"),
        retried: () => heard.push("retried"),
        taken: (waitedMs) => heard.push(["taken", waitedMs]),
        finished: (workedMs) => heard.push(["finished", workedMs]),
      },
    });
    observed.add("a");
    observed.add("a");
    await clock.advance(7);
    await takeNow(observed);
    observed.addAfter("a", 3);
    await clock.advance(2);
    observed.done("a");
    await clock.advance(1);
    await takeNow(observed);
    expect(heard).toEqual(["added", ["taken", 7], "retried", ["finished", 2], "added", ["taken", 0]]);
  });
});
