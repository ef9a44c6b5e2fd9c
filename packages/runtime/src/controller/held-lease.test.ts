import type { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { MemoryLeaseStore } from "../testing/memory-lease-store.ts";
import { ScriptedReconciler } from "../testing/scripted-reconciler.ts";
import { Controller } from "./controller.ts";
import type { ReconcileEvent } from "./controller-options.ts";
import type { LeaseStore } from "./held-lease.ts";

const ttlMs = 300;

let clock: ManualClock;
let store: MemoryLeaseStore;
let calls: string[];
let answer: { [method in keyof LeaseStore]?: () => ReturnType<LeaseStore[method]> };
let reconciler: ScriptedReconciler;
let events: ReconcileEvent[];
let stop: AbortController;
let controller: Controller;
let running: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryLeaseStore(clock);
  calls = [];
  answer = {};
  reconciler = new ScriptedReconciler();
  events = [];
  stop = new AbortController();
  controller = new Controller({
    name: "test",
    clock,
    random: () => 0,
    reconciler,
    timeLimitMs: 10_000,
    abortGraceMs: 50,
    drainLimitMs: 100,
    onDeadLetter: () => {},
    onReconciled: (event) => events.push(event),
    leases: { store: observed(), owner: "us", ttlMs, retryMs: 100 },
  });
  running = controller.run(stop.signal);
});
afterEach(async () => {
  answer = {};
  stop.abort();
  for (const call of reconciler.open) call.finish();
  await clock.advance(ttlMs);
  await running.catch(() => {});
  expectNoTimerLeft();
});

function expectNoTimerLeft(): void {
  expect(clock.pending).toBe(0);
}

/** The store, with a record of the calls, and answers of the test's own where it has some. */
function observed(): LeaseStore {
  return {
    tryAcquire: (key, owner, ttl) => {
      calls.push("acquire");
      return answer.tryAcquire?.() ?? store.tryAcquire(key, owner, ttl);
    },
    renew: (key, token, ttl) => {
      calls.push("renew");
      return answer.renew?.() ?? store.renew(key, token, ttl);
    },
    release: (key, token) => {
      calls.push("release");
      return answer.release?.() ?? store.release(key, token);
    },
  };
}

async function enqueue(key: string): Promise<void> {
  controller.enqueue(key);
  await clock.settle();
}

function lostError(): BowlineError | undefined {
  try {
    reconciler.call("a").context.lease?.throwIfLost();
    return undefined;
  } catch (error) {
    return error as BowlineError;
  }
}

const away = (): Promise<never> => Promise.reject(new Error("the store is away"));
const silent = (): Promise<never> => new Promise(() => {});

describe("the lease of a key", () => {
  test("is taken before the work, kept during it, and given back after it", async () => {
    await enqueue("a");
    expect(reconciler.call("a").context.lease?.token).toBeGreaterThan(0);
    await clock.advance(10 * ttlMs);
    expect(await store.tryAcquire("a", "them", ttlMs)).toBeUndefined();
    expect(calls.filter((call) => call === "renew")).toHaveLength(30);
    reconciler.call("a").finish();
    await clock.settle();
    expect(calls.at(-1)).toBe("release");
    expect(await store.tryAcquire("a", "them", ttlMs)).toBeDefined();
  });

  test("that somebody else holds is asked for again soon, and that is no failure", async () => {
    const theirs = await store.tryAcquire("a", "them", ttlMs);
    await enqueue("a");
    expect(reconciler.calls).toEqual([]);
    expect(events).toMatchObject([{ outcome: { kind: "unleased", error: { code: "LeaseLost" } } }]);
    await store.release("a", theirs?.token ?? 0);
    await clock.advance(100);
    expect(reconciler.call("a")).toMatchObject({ attempt: 1, isOpen: true });
  });

  test.each([
    ["is away", away],
    ["is silent", silent],
  ])("cannot be taken while the store %s; that uses up no attempts", async (_how, method) => {
    answer = { tryAcquire: method };
    await enqueue("a");
    await clock.advance(20 * ttlMs);
    expect(reconciler.calls).toEqual([]);
    answer = {};
    await clock.advance(2 * ttlMs);
    expect(reconciler.call("a")).toMatchObject({ attempt: 1, isOpen: true });
  });

  test.each([
    ["is away", away],
    ["is silent", silent],
  ])(
    "is lost when the store %s for too long: the work is told before anybody else can begin",
    async (_how, method) => {
      await enqueue("a");
      const { signal } = reconciler.call("a").context;
      answer = { renew: method };
      await clock.advance(0.9 * ttlMs - 1);
      expect(signal.aborted).toBe(false);
      expect(lostError()).toBeUndefined();
      await clock.advance(1);
      expect(signal.reason).toMatchObject({ code: "LeaseLost" });
      expect(lostError()).toMatchObject({ code: "LeaseLost" });
      expect(await store.tryAcquire("a", "them", ttlMs)).toBeUndefined();
    },
  );

  test("survives a store that is away for a moment", async () => {
    await enqueue("a");
    answer = { renew: away };
    await clock.advance(ttlMs / 2);
    answer = {};
    await clock.advance(10 * ttlMs);
    expect(reconciler.call("a").context.signal.aborted).toBe(false);
  });

  test("is lost at once when the store says so; whatever the work says then does not count", async () => {
    await enqueue("a");
    await store.release("a", reconciler.call("a").context.lease?.token ?? 0);
    await store.tryAcquire("a", "them", 10 * ttlMs);
    await clock.advance(ttlMs / 3);
    expect(reconciler.call("a").context.signal.reason).toMatchObject({ code: "LeaseLost" });
    reconciler.call("a").finish();
    await clock.settle();
    expect(events).toMatchObject([{ outcome: { kind: "unleased" } }]);
    expect(controller.state()).toMatchObject({ retries: 0, queue: { delayed: 1 } });
  });

  test("of work that does not end is neither kept nor given back: it runs out", async () => {
    await enqueue("a");
    await clock.advance(10_000 + 50);
    expect(controller.state().active).toMatchObject([{ isStuck: true }]);
    const callsBefore = calls.length;
    expect(await store.tryAcquire("a", "them", ttlMs)).toBeUndefined();
    await clock.advance(ttlMs);
    expect(calls).toHaveLength(callsBefore);
    expect(await store.tryAcquire("a", "them", ttlMs)).toBeDefined();
  });

  test("does not hold up the worker when it cannot be given back", async () => {
    answer = { release: silent };
    await enqueue("a");
    controller.enqueue("b");
    reconciler.call("a").finish();
    await clock.advance(ttlMs);
    expect(reconciler.call("b").isOpen).toBe(true);
  });

  test("that is being asked for when the controller stops is given back, and nothing is left behind", async () => {
    answer = { tryAcquire: () => clock.sleep(250).then(() => store.tryAcquire("a", "us", ttlMs)) };
    await enqueue("a");
    stop.abort();
    await clock.advance(250);
    expect(await running).toBeUndefined();
    expect(reconciler.calls).toEqual([]);
    expect(await store.tryAcquire("a", "them", ttlMs)).toBeDefined();
    expect(controller.state()).toMatchObject({ active: [], queue: { ready: 1 } });
  });
});
