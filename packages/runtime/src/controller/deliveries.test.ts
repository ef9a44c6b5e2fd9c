import { getEventListeners } from "node:events";

import type { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { TerminalError } from "../reconcile/reconcile-error.ts";
import { requeueAfter } from "../reconcile/reconciler.ts";
import { MemoryBroker, type BrokerRecord } from "../testing/memory-broker.ts";
import { ScriptedReconciler } from "../testing/scripted-reconciler.ts";
import { Controller } from "./controller.ts";
import type { ControllerOptions } from "./controller-options.ts";
import type { Delivery } from "./deliveries.ts";

const ackWaitMs = 300;

let clock: ManualClock;
let broker: MemoryBroker;
let reconciler: ScriptedReconciler;
let errors: BowlineError[];
let stop: AbortController;
let controller: Controller;
let running: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  broker = new MemoryBroker({ clock, ackWaitMs });
  reconciler = new ScriptedReconciler();
  errors = [];
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  for (const call of reconciler.open) call.finish();
  await clock.settle();
  await running.catch(() => {});
  broker.wipe();
  expectNothingLeft();
});

function expectNothingLeft(): void {
  expect(clock.pending).toBe(0);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  expect(controller.state().deliveries).toMatchObject({ held: 0 });
}

function start(options: Partial<ControllerOptions> = {}): void {
  controller = new Controller({
    name: "test",
    clock,
    random: () => 0,
    reconciler,
    deliveries: broker,
    backoff: { baseMs: 10, maxMs: 80, factor: 2, jitter: 0 },
    timeLimitMs: 10_000,
    abortGraceMs: 100,
    drainLimitMs: 1000,
    maxAttempts: 3,
    onDeadLetter: () => {},
    onError: (error) => errors.push(error),
    ...options,
  });
  running = controller.run(stop.signal);
}

async function publish(...keys: string[]): Promise<void> {
  for (const [index, key] of keys.entries()) broker.publish(key, index + 1);
  await clock.settle();
}

const settlements = (): Omit<BrokerRecord, "atMs">[] =>
  broker.records
    .filter(({ did }) => did !== "deliver" && did !== "in progress")
    .map(({ atMs: _atMs, ...record }) => record);

describe("a delivery", () => {
  test("is acknowledged when the work is done, not before", async () => {
    start();
    await publish("a");
    expect(settlements()).toEqual([]);
    reconciler.call("a").finish();
    await clock.settle();
    expect(settlements()).toEqual([{ key: "a", did: "ack" }]);
    expect(broker.size).toBe(0);
  });

  test("comes back after the delay when the work asks for it, with no failure counted", async () => {
    start();
    await publish("a");
    reconciler.call("a").finish(requeueAfter(500));
    await clock.settle();
    expect(settlements()).toEqual([{ key: "a", did: "retry", delayMs: 500, attempt: 1 }]);
    await clock.advance(500);
    expect(reconciler.call("a")).toMatchObject({ attempt: 1, isOpen: true });
  });

  test("of work that failed comes back after a growing delay, and in the end is a dead letter", async () => {
    start();
    await publish("a");
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(reconciler.call("a").attempt).toBe(attempt);
      reconciler.call("a").fail(new Error("broken"));
      await clock.advance(100);
    }
    expect(settlements()).toEqual([
      { key: "a", did: "retry", delayMs: 10, attempt: 2 },
      { key: "a", did: "retry", delayMs: 20, attempt: 3 },
      { key: "a", did: "dead-letter", reason: "Internal" },
    ]);
    await clock.advance(10_000);
    expect(reconciler.calls).toHaveLength(3);
    await publish("a");
    expect(reconciler.call("a").attempt).toBe(1);
  });

  test("of a key that came several times: the last is retried, which alone a broker may still have", async () => {
    start({ concurrency: 1, maxHeldDeliveries: 10 });
    await publish("busy");
    broker.publish("a", 3);
    broker.publish("a", 0);
    await clock.settle();
    reconciler.call("busy").finish();
    await clock.settle();
    reconciler.call("a").fail(new Error("broken"));
    await clock.settle();
    expect(settlements().filter(({ key }) => key === "a")).toEqual([
      { key: "a", did: "ack" },
      { key: "a", did: "retry", delayMs: 10, attempt: 2 },
    ]);
  });

  test("of work that cannot succeed is a dead letter at once", async () => {
    start();
    await publish("a");
    reconciler.call("a").fail(new TerminalError("UnknownProvider", "There is none."));
    await clock.settle();
    expect(settlements()).toEqual([{ key: "a", did: "dead-letter", reason: "UnknownProvider" }]);
  });

  test("brings along the failures that another replica counted", async () => {
    start();
    await publish("a");
    reconciler.call("a").fail(new Error("broken"));
    await clock.advance(0);
    stop.abort();
    await running;
    stop = new AbortController();
    start();
    await clock.advance(10);
    expect(reconciler.call("a").attempt).toBe(2);
  });

  test("is kept alive while its key is worked on, and while it waits for its turn", async () => {
    start({ concurrency: 1 });
    await publish("a", "b");
    await clock.advance(5 * ackWaitMs);
    expect(broker.records.filter(({ did }) => did === "ack wait passed")).toEqual([]);
    expect(broker.records.filter(({ key, did }) => key === "b" && did === "in progress")).toHaveLength(15);
    reconciler.call("a").finish();
    await clock.settle();
    expect(reconciler.call("b").isOpen).toBe(true);
  });
});

describe("several deliveries of one key", () => {
  test("that are there before the work begins are answered by it together", async () => {
    start({ concurrency: 1, maxHeldDeliveries: 10 });
    await publish("busy", "a", "a", "a");
    reconciler.call("busy").finish();
    await clock.settle();
    reconciler.call("a").finish();
    await clock.settle();
    expect(reconciler.calls).toHaveLength(2);
    expect(settlements().filter(({ key }) => key === "a")).toEqual([
      { key: "a", did: "ack" },
      { key: "a", did: "ack" },
      { key: "a", did: "ack" },
    ]);
  });

  test("that come during the work are answered by the next one, which follows", async () => {
    start({ concurrency: 2 });
    await publish("a");
    await publish("a");
    expect(reconciler.calls).toHaveLength(1);
    reconciler.call("a").finish();
    await clock.settle();
    expect(settlements()).toHaveLength(1);
    expect(reconciler.calls).toHaveLength(2);
    reconciler.call("a").finish();
    await clock.settle();
    expect(settlements()).toHaveLength(2);
    expect(broker.size).toBe(0);
  });

  test("do not multiply when the work fails: the newest comes back, the others are done with", async () => {
    start({ concurrency: 1, maxHeldDeliveries: 10 });
    await publish("busy", "a", "a", "a");
    reconciler.call("busy").finish();
    await clock.settle();
    reconciler.call("a").fail(new Error("broken"));
    await clock.settle();
    expect(settlements().filter(({ key }) => key === "a")).toEqual([
      { key: "a", did: "ack" },
      { key: "a", did: "ack" },
      { key: "a", did: "retry", delayMs: 10, attempt: 2 },
    ]);
    expect(broker.size).toBe(1);
  });
});

describe("the intake", () => {
  test("holds no more than it may, and takes more as soon as there is room", async () => {
    start({ concurrency: 2, maxHeldDeliveries: 3 });
    await publish("a", "b", "c", "d", "e");
    expect(broker.records.filter(({ did }) => did === "deliver")).toHaveLength(3);
    reconciler.call("a").finish();
    await clock.settle();
    expect(broker.records.filter(({ did }) => did === "deliver")).toHaveLength(4);
    expect(controller.state().deliveries?.held).toBe(3);
  });

  test("survives a broker that is away, and says so meanwhile", async () => {
    broker.outage = new Error("the broker is away");
    start();
    await publish("a");
    expect(controller.state().deliveries?.error?.message).toBe("the broker is away");
    broker.outage = undefined;
    await clock.advance(1000);
    expect(reconciler.call("a").isOpen).toBe(true);
    expect(controller.state().deliveries?.error).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  test("is not brought to a stop by a broker that does not take a settlement", async () => {
    const fresh = (key: string, ack: Delivery["ack"]): Delivery => ({
      key,
      generation: 1,
      attempt: 1,
      ack,
      retry: () => {},
      inProgress: () => Promise.reject(new Error("no sign of life taken")),
      deadLetter: () => {},
    });
    const batches = [
      [
        fresh("throws", () => {
          throw new Error("no ack taken");
        }),
      ],
      [fresh("rejects", () => Promise.reject(new Error("no ack taken")))],
      [fresh("hangs", () => new Promise(() => {}))],
      [fresh("last", () => {})],
    ];
    start({
      maxHeldDeliveries: 1,
      deliveries: {
        ackWaitMs,
        take: (_max, signal) => {
          const batch = batches.shift();
          return batch === undefined ? clock.sleep(Infinity, signal).then(() => []) : Promise.resolve(batch);
        },
      },
    });
    for (const key of ["throws", "rejects", "hangs"]) {
      await clock.settle();
      reconciler.call(key).finish();
    }
    await clock.advance(ackWaitMs);
    expect(errors.map(({ message }) => message)).toEqual([
      "no ack taken",
      "no ack taken",
      expect.stringContaining("did not answer"),
    ]);
    await clock.advance(ackWaitMs / 3);
    expect(errors.at(-1)?.message).toBe("no sign of life taken");
    reconciler.call("last").finish();
    await clock.settle();
  });

  test("keys that are enqueued by hand are worked on beside it", async () => {
    start({ concurrency: 2 });
    controller.enqueue("by hand");
    await publish("a");
    reconciler.call("by hand").fail(new Error("broken"));
    await clock.advance(10);
    expect(reconciler.call("by hand").attempt).toBe(2);
    expect(settlements()).toEqual([]);
  });
});

describe("stopping", () => {
  test("settles what is finished and gives back the rest at once", async () => {
    start({ concurrency: 1, maxHeldDeliveries: 10 });
    await publish("a", "b", "c");
    stop.abort();
    reconciler.call("a").finish();
    await running;
    expect(settlements()).toEqual([
      { key: "a", did: "ack" },
      { key: "b", did: "retry", delayMs: 0, attempt: 1 },
      { key: "c", did: "retry", delayMs: 0, attempt: 1 },
    ]);
  });

  test("gives back, once, what did not end", async () => {
    start();
    await publish("a");
    stop.abort();
    const ended = running.catch((error: unknown) => error);
    await clock.advance(1100);
    expect(await ended).toMatchObject({ code: "ShutdownTimeout" });
    expect(settlements()).toEqual([{ key: "a", did: "retry", delayMs: 0, attempt: 1 }]);
    reconciler.call("a").finish();
    await clock.settle();
    expect(settlements()).toHaveLength(1);
  });

  test("gives back what the broker hands over at the last moment", async () => {
    const handed = Promise.withResolvers<Delivery[]>();
    start({ deliveries: { ackWaitMs, take: () => handed.promise } });
    await clock.settle();
    stop.abort();
    broker.publish("late", 1);
    handed.resolve([...(await broker.take(1, new AbortController().signal))]);
    await running;
    expect(settlements()).toEqual([{ key: "late", did: "retry", delayMs: 0, attempt: 1 }]);
  });
});

test("a stuck key goes back to the broker, and is not accepted again while it is stuck", async () => {
  start({ timeLimitMs: 1000, concurrency: 1 });
  await publish("a");
  await clock.advance(500);
  await publish("a");
  await clock.advance(600);
  expect(controller.state().active).toMatchObject([{ key: "a", isStuck: true }]);
  expect(settlements()).toEqual([
    { key: "a", did: "retry", delayMs: 10, attempt: 2 },
    { key: "a", did: "retry", delayMs: ackWaitMs, attempt: 1 },
  ]);
  await clock.advance(10 * ackWaitMs);
  expect(reconciler.calls).toHaveLength(1);
  expect(controller.state().deliveries?.held).toBe(0);
  reconciler.call("a").finish();
  await clock.advance(ackWaitMs);
  expect(reconciler.calls.length).toBeGreaterThan(1);
});
