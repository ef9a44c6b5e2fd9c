import { getEventListeners } from "node:events";

import { BowlineError, Supervisor } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { TerminalError, WaitingError } from "../reconcile/reconcile-error.ts";
import { requeueAfter } from "../reconcile/reconciler.ts";
import { ScriptedReconciler } from "../testing/scripted-reconciler.ts";
import { Controller } from "./controller.ts";
import type { ControllerOptions, ReconcileEvent } from "./controller-options.ts";
import type { DeadLetter } from "./controller-state.ts";

const limits = { timeLimitMs: 1000, abortGraceMs: 100, drainLimitMs: 300 };
const backoff = { baseMs: 10, maxMs: 80, factor: 2, jitter: 0 };

let clock: ManualClock;
let reconciler: ScriptedReconciler;
let letters: DeadLetter[];
let events: ReconcileEvent[];
let errors: BowlineError[];
let stop: AbortController;
let controller: Controller;
let running: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  reconciler = new ScriptedReconciler();
  letters = [];
  events = [];
  errors = [];
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  for (const call of reconciler.open) call.finish();
  await clock.settle();
  await running.catch(() => {});
  expectNothingLeft();
});

function expectNothingLeft(): void {
  expect(clock.pending).toBe(0);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
}

function start(options: Partial<ControllerOptions> = {}): void {
  controller = new Controller({
    name: "test",
    clock,
    random: () => 0,
    reconciler,
    backoff,
    ...limits,
    onDeadLetter: (deadLetter) => void letters.push(deadLetter),
    onReconciled: (event) => events.push(event),
    onError: (error) => errors.push(error),
    ...options,
  });
  running = controller.run(stop.signal);
}

async function enqueue(...keys: string[]): Promise<void> {
  for (const key of keys) controller.enqueue(key);
  await clock.settle();
}

async function fail(key: string, thrown: unknown = new Error("broken")): Promise<void> {
  reconciler.call(key).fail(thrown);
  await clock.settle();
}

async function finish(key: string, result = requeueAfter(1e6)): Promise<void> {
  reconciler.call(key).finish(result);
  await clock.settle();
}

const keysOf = (calls: readonly { key: string }[]): string[] => calls.map((call) => call.key);

describe("working", () => {
  test("calls the reconciler for each key, as many at once as it may", async () => {
    start({ concurrency: 2 });
    await enqueue("a", "b", "c");
    expect(keysOf(reconciler.open)).toEqual(["a", "b"]);
    expect(controller.state()).toMatchObject({
      isRunning: true,
      queue: { ready: 1, active: 2 },
      active: [
        { key: "a", attempt: 1, isStuck: false, sinceMs: clock.now() },
        { key: "b", attempt: 1, isStuck: false },
      ],
    });
    await finish("a");
    expect(keysOf(reconciler.open)).toEqual(["b", "c"]);
  });

  test("keys that came before it runs are not lost", async () => {
    start();
    stop.abort();
    await running;
    await enqueue("a");
    expect(reconciler.calls).toEqual([]);
    stop = new AbortController();
    running = controller.run(stop.signal);
    await clock.settle();
    expect(keysOf(reconciler.open)).toEqual(["a"]);
  });

  test("a key is worked on once more when it was enqueued meanwhile, and never twice at once", async () => {
    start({ concurrency: 2 });
    await enqueue("a");
    await enqueue("a", "a");
    expect(reconciler.calls).toHaveLength(1);
    await finish("a");
    expect(reconciler.calls).toHaveLength(2);
    await finish("a");
    expect(reconciler.calls).toHaveLength(2);
  });

  test("two runs at a time are refused", async () => {
    start();
    await expect(controller.run(stop.signal)).rejects.toThrow(/runs already/);
  });

  test.each([{ concurrency: 0 }, { concurrency: 1.5 }, { maxAttempts: 0 }])("refuses %j", (options) => {
    running = Promise.resolve();
    expect(() => start(options)).toThrow(/at least 1/);
  });
});

describe("results", () => {
  test("done: nothing until the key comes again", async () => {
    start();
    await enqueue("a");
    reconciler.call("a").finish();
    await clock.advance(1e6);
    expect(reconciler.calls).toHaveLength(1);
    expect(events).toMatchObject([{ controller: "test", key: "a", attempt: 1, outcome: { kind: "done" } }]);
  });

  test("requeue after: once more, at its time", async () => {
    start();
    await enqueue("a");
    await finish("a", requeueAfter(500));
    await clock.advance(499);
    expect(reconciler.calls).toHaveLength(1);
    await clock.advance(1);
    expect(reconciler.calls).toHaveLength(2);
    expect(reconciler.call("a").attempt).toBe(1);
  });

  test("an error: again after a delay that grows, until it succeeds", async () => {
    start();
    await enqueue("a");
    for (const [attempt, delayMs] of [10, 20, 40, 80, 80].entries()) {
      expect(reconciler.call("a").attempt).toBe(attempt + 1);
      await fail("a");
      await clock.advance(delayMs - 1);
      expect(reconciler.open).toEqual([]);
      await clock.advance(1);
      expect(reconciler.open).toHaveLength(1);
    }
    expect(controller.state()).toMatchObject({ retries: 5, failing: 1 });
    await finish("a");
    expect(controller.state()).toMatchObject({ failing: 0 });
    await enqueue("a");
    expect(reconciler.call("a").attempt).toBe(1);
  });

  test("a change does not wait for the backoff", async () => {
    start();
    await enqueue("a");
    await fail("a");
    await enqueue("a");
    expect(reconciler.call("a")).toMatchObject({ attempt: 2, isOpen: true });
  });

  test.each(["a string", undefined, null, 42, { not: "an error" }])(
    "what is no error, %j, is one",
    async (thrown) => {
      start();
      await enqueue("a");
      await fail("a", thrown);
      expect(events).toMatchObject([{ outcome: { kind: "failed", error: { code: "Internal" } } }]);
      await clock.advance(10);
      expect(reconciler.open).toHaveLength(1);
    },
  );

  test("a reconciler that throws before its first await is one that failed", async () => {
    start({
      reconciler: {
        reconcile: () => {
          throw new Error("at once");
        },
      },
    });
    await enqueue("a");
    expect(events).toMatchObject([{ outcome: { kind: "failed", error: { message: "at once" } } }]);
  });

  test("waiting: again after the time it names, and no failure", async () => {
    start({ maxAttempts: 2 });
    await enqueue("a");
    for (let turn = 0; turn < 5; turn += 1) {
      await fail("a", new WaitingError("AgentOffline", "The agent is away.", { requeueAfterMs: 200 }));
      await clock.advance(200);
      expect(reconciler.call("a")).toMatchObject({ attempt: 1, isOpen: true });
    }
    expect(letters).toEqual([]);
    expect(controller.state()).toMatchObject({ retries: 0 });
  });

  test.each([Number.NaN, -1, Infinity])("a delay of %d is a failure, not a hot loop", async (delayMs) => {
    start();
    await enqueue("a", "b");
    await finish("a", requeueAfter(delayMs));
    await fail("b", new WaitingError("Odd", "Odd.", { requeueAfterMs: delayMs }));
    expect(events).toMatchObject([{ outcome: { kind: "failed" } }, { outcome: { kind: "failed" } }]);
  });
});

describe("dead letters", () => {
  test("after the last attempt there is none until the key comes again", async () => {
    start({ maxAttempts: 3 });
    await enqueue("a");
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await fail("a", new BowlineError("ConnectionFailed", "No connection."));
      await clock.advance(100);
    }
    expect(reconciler.calls).toHaveLength(3);
    expect(letters).toMatchObject([
      { key: "a", reason: "ConnectionFailed", message: "No connection.", terminal: false, attempts: 3 },
    ]);
    expect(controller.state().deadLetters).toMatchObject({
      total: 1,
      recent: [{ key: "a", terminal: false }],
    });
    await clock.advance(1e6);
    expect(reconciler.calls).toHaveLength(3);
    await enqueue("a");
    expect(reconciler.call("a")).toMatchObject({ attempt: 1, isOpen: true });
  });

  test("a terminal error is one at once", async () => {
    start();
    await enqueue("a");
    await fail("a", new TerminalError("UnknownProvider", 'There is no provider "x".'));
    expect(letters).toMatchObject([{ key: "a", reason: "UnknownProvider", terminal: true, attempts: 1 }]);
    await clock.advance(1e6);
    expect(reconciler.calls).toHaveLength(1);
  });

  test("a key that changed meanwhile is tried again at once", async () => {
    start();
    await enqueue("a");
    await enqueue("a");
    await fail("a", new TerminalError("Bad", "Bad."));
    expect(letters).toHaveLength(1);
    expect(reconciler.call("a")).toMatchObject({ attempt: 1, isOpen: true });
  });

  test("one that cannot be written down is not given up", async () => {
    let isDown = true;
    start({
      maxAttempts: 1,
      onDeadLetter: (deadLetter) => {
        if (isDown) throw new BowlineError("ConnectionFailed", "The database is away.");
        letters.push(deadLetter);
      },
    });
    await enqueue("a");
    await fail("a");
    expect(errors).toMatchObject([{ message: "The database is away." }]);
    expect(controller.state().deadLetters.total).toBe(0);
    isDown = false;
    await clock.advance(10);
    await fail("a");
    expect(letters).toMatchObject([{ key: "a", attempts: 2 }]);
  });

  test("one whose writing hangs does not hang the worker", async () => {
    start({ maxAttempts: 1, onDeadLetter: () => new Promise(() => {}) });
    await enqueue("a", "b");
    await fail("a");
    await clock.advance(limits.timeLimitMs);
    expect(errors).toMatchObject([{ code: "Timeout" }]);
    expect(reconciler.call("b").isOpen).toBe(true);
  });

  test("only the last hundred are remembered, all are counted", async () => {
    start();
    for (let index = 0; index < 150; index += 1) {
      await enqueue(`key-${index}`);
      reconciler.call(`key-${index}`).fail(new TerminalError("Bad", "Bad."));
    }
    await clock.settle();
    const { total, recent } = controller.state().deadLetters;
    expect(total).toBe(150);
    expect([recent.length, recent[0]?.key, recent.at(-1)?.key]).toEqual([100, "key-50", "key-149"]);
  });
});

describe("the time limit", () => {
  test("aborts the signal, and counts as a failure", async () => {
    start();
    await enqueue("a");
    const { context } = reconciler.call("a");
    await clock.advance(limits.timeLimitMs - 1);
    expect(context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(context.signal.reason).toMatchObject({ code: "Timeout" });
    await fail("a", context.signal.reason);
    expect(events).toMatchObject([{ outcome: { kind: "failed", error: { code: "Timeout" } } }]);
    await clock.advance(10);
    expect(reconciler.call("a").attempt).toBe(2);
  });

  test("what succeeds a little late has succeeded", async () => {
    start();
    await enqueue("a");
    await clock.advance(limits.timeLimitMs);
    await finish("a");
    expect(events).toMatchObject([{ outcome: { kind: "requeue-after" } }]);
  });

  test("one that does not end gives its place to others, but its key is not worked on twice", async () => {
    start({ concurrency: 1 });
    await enqueue("stuck", "b");
    await clock.advance(limits.timeLimitMs + limits.abortGraceMs);
    expect(keysOf(reconciler.open)).toEqual(["stuck", "b"]);
    expect(controller.state().active).toMatchObject([
      { key: "stuck", isStuck: true },
      { key: "b", isStuck: false },
    ]);
    await enqueue("stuck");
    await finish("b");
    await clock.advance(500);
    expect(reconciler.calls).toHaveLength(2);
    // It ends after all: now the key can be worked on again.
    await finish("stuck");
    expect(reconciler.calls).toHaveLength(3);
    expect(reconciler.call("stuck").attempt).toBe(2);
  });

  test("a stuck key that nobody enqueued is tried again when it ends", async () => {
    start();
    await enqueue("stuck");
    await clock.advance(limits.timeLimitMs + limits.abortGraceMs + 500);
    expect(reconciler.calls).toHaveLength(1);
    await fail("stuck");
    expect(reconciler.call("stuck")).toMatchObject({ attempt: 2, isOpen: true });
  });
});

describe("stopping", () => {
  test("lets what is under way finish, starts nothing new, and keeps the rest for the next run", async () => {
    start();
    await enqueue("a", "b");
    stop.abort();
    await clock.advance(limits.drainLimitMs - 1);
    expect(reconciler.call("a").context.signal.aborted).toBe(false);
    reconciler.call("a").finish();
    await running;
    expect(keysOf(reconciler.calls)).toEqual(["a"]);
    expect(controller.state()).toMatchObject({ isRunning: false, queue: { ready: 1, active: 0 } });
  });

  test("aborts what takes too long; that is no failure, and the key is kept", async () => {
    start();
    await enqueue("a");
    stop.abort();
    await clock.advance(limits.drainLimitMs);
    const { signal } = reconciler.call("a").context;
    expect(signal.reason).toMatchObject({ code: "Cancelled" });
    await fail("a", signal.reason);
    await running;
    expect(events).toMatchObject([{ outcome: { kind: "interrupted" } }]);
    expect(controller.state()).toMatchObject({ retries: 0, failing: 0, queue: { ready: 1 } });
  });

  test("leaves behind what does not end, and says so", async () => {
    start();
    await enqueue("a");
    stop.abort();
    const ended = running.catch((error: unknown) => error);
    await clock.advance(limits.drainLimitMs + limits.abortGraceMs);
    expect(await ended).toMatchObject({ code: "ShutdownTimeout", details: { keys: ["a"] } });
  });

  test("takes no longer than it tells its supervisor", async () => {
    start();
    await enqueue("a");
    const startedMs = clock.monotonicMs();
    let endedMs = Infinity;
    void running.catch(() => {
      endedMs = clock.monotonicMs();
    });
    stop.abort();
    await clock.advance(10_000);
    expect(endedMs - startedMs).toBeLessThanOrEqual(controller.stopLimitMs);
  });

  test("a revoked right ends everything at once", async () => {
    start();
    stop.abort();
    await running;
    stop = new AbortController();
    const revoked = new AbortController();
    running = controller.run(stop.signal, revoked.signal);
    await enqueue("a");
    revoked.abort();
    const { signal } = reconciler.call("a").context;
    expect(signal.aborted).toBe(true);
    await fail("a", signal.reason);
    await running;
    expect(events).toMatchObject([{ outcome: { kind: "interrupted" } }]);
    expect(getEventListeners(revoked.signal, "abort")).toEqual([]);
  });
});

test("runs as the child of a supervisor", async () => {
  start();
  stop.abort();
  await running;
  const supervisor = new Supervisor({ name: "root", clock, random: () => 0 });
  supervisor.add(controller.asChild());
  running = supervisor.run();
  await enqueue("a");
  expect(supervisor.snapshot().children).toMatchObject([{ name: "test", state: "running" }]);
  await finish("a");
  await Promise.all([supervisor.stop(), clock.settle()]);
  expect(controller.state().isRunning).toBe(false);
});

test("a callback that breaks its promise fails the controller, and loses no key", async () => {
  let isBroken = true;
  start({
    concurrency: 2,
    onReconciled: () => {
      if (isBroken) throw new Error("reporting broke");
    },
  });
  const failed = running.catch((error: unknown) => error);
  await enqueue("a", "b");
  reconciler.call("a").finish();
  await clock.settle();
  reconciler.call("b").finish();
  expect(await failed).toMatchObject({ message: "reporting broke" });
  isBroken = false;
  running = controller.run(stop.signal);
  await enqueue("a");
  expect(reconciler.call("a").isOpen).toBe(true);
});

test("work that never waits does not keep timers and sockets out", async () => {
  const count = 1000;
  const over = Promise.withResolvers<void>();
  let calls = 0;
  start({
    reconciler: {
      reconcile: () => {
        calls += 1;
        if (calls === count) over.resolve();
        return Promise.resolve({ kind: "done" });
      },
    },
  });
  for (let index = 0; index < count; index += 1) controller.enqueue(`key-${index}`);
  let turns = 0;
  const countTurn = (): void => {
    turns += 1;
    if (calls < count) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  await over.promise;
  expect(turns).toBeGreaterThan(10);
});
