import { Metrics, type BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { Controller } from "../controller/controller.ts";
import type { ControllerOptions } from "../controller/controller-options.ts";
import { RuntimeMetrics } from "../controller/runtime-metrics.ts";
import { ScriptedReconciler } from "../testing/scripted-reconciler.ts";
import type { EventSource, ManagedInformer } from "./event-source.ts";
import type { LeaderElection } from "./leadership.ts";
import { Manager, type ManagerOptions } from "./manager.ts";

let clock: ManualClock;
let log: string[];
let reconciler: ScriptedReconciler;
let metrics: Metrics;
let manager: Manager;
let stop: AbortController;
let running: Promise<unknown>;

beforeEach(() => {
  clock = new ManualClock();
  log = [];
  reconciler = new ScriptedReconciler();
  metrics = new Metrics({ version: "1", revision: "abc" });
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  for (const call of reconciler.open) call.finish();
  await clock.advance(10_000);
  await running;
  expectNoTimerLeft();
});

function expectNoTimerLeft(): void {
  expect(clock.pending).toBe(0);
}

/** An informer that is synced when the test says so. */
class TestInformer implements ManagedInformer {
  readonly #name: string;
  readonly #synced = Promise.withResolvers<void>();

  constructor(name: string) {
    this.#name = name;
  }

  finishSync(): Promise<void> {
    this.#synced.resolve();
    return clock.settle();
  }

  start(): void {
    log.push(`${this.#name} started`);
  }

  stop(): Promise<void> {
    log.push(`${this.#name} stopped`);
    return Promise.resolve();
  }

  synced(signal: AbortSignal): Promise<void> {
    return Promise.race([
      this.#synced.promise,
      new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ]);
  }
}

/** An election that the test decides. */
class TestElection {
  #lead: ((signal: AbortSignal) => Promise<void>) | undefined;
  #leading = new AbortController();
  #ended = Promise.withResolvers<void>();

  readonly run: LeaderElection = async (lead, signal) => {
    this.#lead = lead;
    signal.addEventListener("abort", () => {
      this.#leading.abort();
      this.#ended.resolve();
    });
    await this.#ended.promise;
  };

  win(): Promise<void> {
    void this.#lead?.(this.#leading.signal).catch(() => {});
    return clock.settle();
  }

  lose(): Promise<void> {
    this.#leading.abort();
    this.#ended.resolve();
    return clock.settle();
  }
}

function createManager(options: Partial<ManagerOptions> = {}): void {
  manager = new Manager({
    name: "test",
    clock,
    random: () => 0,
    metrics: new RuntimeMetrics(metrics),
    ...options,
  });
}

function createController(name: string, options: Partial<ControllerOptions> = {}): Controller {
  return new Controller({
    name,
    clock,
    random: () => 0,
    reconciler,
    drainLimitMs: 1000,
    onDeadLetter: () => {},
    ...options,
  });
}

function source(...keys: string[]): EventSource {
  return {
    start(enqueue) {
      log.push("source started");
      for (const key of keys) enqueue(key);
      return () => log.push("source stopped");
    },
  };
}

async function run(): Promise<void> {
  running = manager.run(stop.signal).catch((error: unknown) => error);
  await clock.settle();
}

const keysOf = (calls: readonly { key: string }[]): string[] => calls.map((call) => call.key);

describe("informers and controllers", () => {
  test("controllers start when all informers have synced, and stop before they do", async () => {
    createManager();
    const pods = new TestInformer("pods");
    const nodes = new TestInformer("nodes");
    manager.addInformer("pods", pods);
    manager.addInformer("nodes", nodes);
    manager.addController(createController("one"), { sources: [source("a")] });
    await run();
    await pods.finishSync();
    expect(reconciler.calls).toEqual([]);
    expect(() => manager.checkReady()).toThrow(/informer-nodes is starting/);
    await nodes.finishSync();
    expect(keysOf(reconciler.open)).toEqual(["a"]);
    expect(() => manager.checkReady()).not.toThrow();
    expect(manager.state()).toMatchObject({
      isLeading: true,
      controllers: [{ name: "one", isRunning: true }],
    });

    stop.abort();
    await clock.settle();
    expect(log).toEqual(["pods started", "nodes started", "source started"]);
    reconciler.call("a").finish();
    await clock.settle();
    expect(log.slice(3)).toEqual(["source stopped", "nodes stopped", "pods stopped"]);
    expect(await running).toBeUndefined();
  });

  test("can be stopped before anything has synced", async () => {
    createManager();
    manager.addInformer("pods", new TestInformer("pods"));
    manager.addController(createController("one"));
    await run();
    stop.abort();
    await clock.settle();
    expect(await running).toBeUndefined();
    expect(log).toEqual(["pods started", "pods stopped"]);
  });

  test("a controller that fails is restarted alone, and hears from its sources again", async () => {
    createManager();
    let isBroken = true;
    const onReconciled = (): void => {
      if (isBroken) throw new Error("reporting broke");
    };
    manager.addController(createController("shaky", { onReconciled }), { sources: [source("a")] });
    manager.addController(createController("steady"));
    await run();
    reconciler.call("a").finish();
    await clock.settle();
    expect(() => manager.checkReady()).toThrow(/shaky is backing-off: reporting broke/);
    expect(manager.state().controllers).toMatchObject([{ isRunning: false }, { isRunning: true }]);
    isBroken = false;
    await clock.advance(1000);
    expect(keysOf(reconciler.open)).toEqual(["a"]);
    expect(() => manager.checkReady()).not.toThrow();
  });

  test("a controller that always fails ends the manager", async () => {
    createManager();
    const onReconciled = (): void => {
      throw new Error("reporting broke");
    };
    const broken = { reconcile: () => Promise.reject(new Error("broken")) };
    for (const name of ["x", "y", "z"])
      manager.addController(createController(name, { reconciler: broken, onReconciled }), {
        sources: [source("a")],
      });
    await run();
    await clock.advance(120_000);
    expect(await running).toMatchObject({ code: "SupervisorGaveUp" });
  });

  test("names are unique, and nothing is added after the start", async () => {
    createManager();
    manager.addInformer("pods", new TestInformer("pods"));
    manager.addController(createController("one"));
    expect(() => manager.addInformer("pods", new TestInformer("pods"))).toThrow(/has an informer "pods"/);
    expect(() => manager.addController(createController("one"), { needsLeader: false })).toThrow(
      /has a controller "one"/,
    );
    await run();
    expect(() => manager.addController(createController("two"))).toThrow(/started already/);
    await expect(manager.run(stop.signal)).rejects.toThrow(/started already/);
  });
});

describe("leader election", () => {
  let election: TestElection;

  beforeEach(async () => {
    election = new TestElection();
    createManager({ leaderElection: election.run });
    manager.addController(createController("elected"), { sources: [source("led")] });
    manager.addController(createController("everywhere"), {
      sources: [source("always")],
      needsLeader: false,
    });
    await run();
  });

  test("only the leader runs controllers that need it; one who waits is ready", async () => {
    expect(keysOf(reconciler.open)).toEqual(["always"]);
    expect(() => manager.checkReady()).not.toThrow();
    expect(manager.state().isLeading).toBe(false);
    await election.win();
    expect(keysOf(reconciler.open)).toEqual(["always", "led"]);
    expect(manager.state().isLeading).toBe(true);
    expect(await metrics.text()).toContain('leader_election_master_status{name="test"} 1');
  });

  test("who lost does not finish anything, and the manager ends", async () => {
    await election.win();
    await election.lose();
    const { signal } = reconciler.call("led").context;
    expect(signal.aborted).toBe(true);
    // The others may finish what they do.
    expect(reconciler.call("always").context.signal.aborted).toBe(false);
    reconciler.call("led").fail(signal.reason);
    await clock.settle();
    reconciler.call("always").finish();
    await clock.settle();
    expect(await running).toMatchObject({ code: "SupervisorGaveUp", cause: { code: "LeaseLost" } });
    expect(await metrics.text()).toContain('leader_election_master_status{name="test"} 0');
  });

  test("who is told to stop finishes what is under way", async () => {
    await election.win();
    stop.abort();
    await clock.advance(500);
    expect(reconciler.call("led").context.signal.aborted).toBe(false);
    for (const call of reconciler.open) call.finish();
    await clock.settle();
    expect(await running).toBeUndefined();
  });

  test("who stops without ever having led just stops", async () => {
    stop.abort();
    for (const call of reconciler.open) call.finish();
    await clock.settle();
    expect(await running).toBeUndefined();
  });
});

test("a leader whose controllers gave up does not go on leading", async () => {
  const election = new TestElection();
  createManager({ leaderElection: election.run });
  const onReconciled = (): void => {
    throw new Error("reporting broke");
  };
  const broken = { reconcile: () => Promise.reject(new Error("broken")) };
  for (const name of ["x", "y", "z"])
    manager.addController(createController(name, { reconciler: broken, onReconciled }), {
      sources: [source("a")],
    });
  await run();
  await election.win();
  await clock.advance(120_000);
  const error = (await running) as BowlineError;
  expect(error.code).toBe("SupervisorGaveUp");
  expect(manager.state().isLeading).toBe(false);
});
