import { setImmediate as nextTurn } from "node:timers/promises";

import { BowlineError, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { done, type ReconcileContext, type ReconcileLease } from "../reconcile/reconciler.ts";
import { MemoryBroker } from "../testing/memory-broker.ts";
import { MemoryLeaseStore } from "../testing/memory-lease-store.ts";
import { Controller } from "./controller.ts";
import type { LeaseStore } from "./held-lease.ts";

type Action =
  | { readonly do: "change"; readonly key: string }
  | { readonly do: "advance"; readonly ms: number }
  /** Pauses whoever works on the key. */
  | { readonly do: "pause"; readonly key: string; readonly ms: number }
  | { readonly do: "crash"; readonly replica: number }
  | { readonly do: "outage"; readonly ms: number };

interface Scenario {
  readonly actions: readonly Action[];
  /** How fast the clock of each replica runs. */
  readonly rates: readonly number[];
  readonly latenciesMs: readonly number[];
  readonly workMs: readonly number[];
}

const ttlMs = 300;
/** Shorter than a lease, so that a key is often delivered to a second replica while the first still holds it. */
const ackWaitMs = 150;
const keys = ["a", "b"];
const replicaCount = 3;

const key = fc.constantFrom(...keys);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("change" as const), key }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(250) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pause" as const), key, ms: fc.nat(4 * ttlMs) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("crash" as const), replica: fc.nat(replicaCount - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("outage" as const), ms: fc.nat(2 * ttlMs) }) },
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
  actions: fc.array(action, { maxLength: 40, size: "max" }),
  rates: fc.array(fc.double({ min: 0.95, max: 1.05, noNaN: true }), { minLength: 1, maxLength: 5 }),
  latenciesMs: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
  workMs: fc.array(fc.nat(250), { minLength: 1, maxLength: 5 }),
});

/** An object of the database, as far as a controller changes it. */
interface Row {
  generation: number;
  observedGeneration: number;
  /** The highest token that ever wrote here. */
  token: number;
}

/**
 * A process: a clock that is not quite right, and calls that take time. While it is paused nothing in it moves but its
 * clock; when it has crashed, nothing at all.
 */
class Replica {
  readonly name: string;
  readonly clock: Clock;
  readonly connection = new AbortController();
  readonly controller: Controller;
  readonly stop = new AbortController();
  readonly running: Promise<unknown>;
  readonly #world: World;
  readonly #timers = new Set<() => void>();
  #late: (() => void)[] = [];
  #isPaused = false;
  #hasCrashed = false;

  constructor(world: World, name: string, rate: number) {
    this.#world = world;
    this.name = name;
    this.clock = {
      now: () => world.clock.now() + 7 * rate,
      monotonicMs: () => world.clock.monotonicMs() * rate,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      after: (ms, callback) => this.#after(ms / rate, callback),
    };
    this.controller = new Controller({
      name,
      clock: this.clock,
      random: () => 0.5,
      concurrency: 2,
      timeLimitMs: 2000,
      abortGraceMs: 20,
      drainLimitMs: 50,
      maxAttempts: 1_000_000,
      backoff: { baseMs: 10, maxMs: 100, factor: 2, jitter: 0 },
      deliveries: {
        ackWaitMs,
        take: (max, signal) =>
          this.reach(() => world.broker.take(max, AbortSignal.any([signal, this.connection.signal]))),
      },
      leases: { store: this.#leaseStore(world.leases), owner: name, ttlMs, retryMs: 100 },
      reconciler: {
        reconcile: async ({ key }, context) => {
          await world.reconcile(this, key, context);
          return done;
        },
      },
      onDeadLetter: () => {},
      onError: ({ message }) => {
        if (message.includes("settled twice")) world.broken.push(message);
      },
    });
    this.running = this.controller.run(this.stop.signal).catch((error: unknown) => error);
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Timers that fell due meanwhile fire now, one after the other as in a real event loop, with promises in between. */
  async resume(): Promise<void> {
    this.#isPaused = false;
    const late = this.#late;
    this.#late = [];
    for (const callback of late) {
      if (!this.#hasCrashed) callback();
      await nextTurn();
    }
  }

  crash(): void {
    this.#hasCrashed = true;
    this.connection.abort();
    for (const cancel of this.#timers) cancel();
    this.#late = [];
  }

  /** A call to the outside: the way there and the way back take time, and the answer is not seen while paused. */
  async reach<T>(call: () => Promise<T> | T): Promise<T> {
    const { clock } = this.#world;
    await clock.sleep(this.#world.nextLatencyMs());
    try {
      return await call();
    } finally {
      await clock.sleep(this.#world.nextLatencyMs());
      await this.#awake();
    }
  }

  #awake(): Promise<void> {
    if (this.#hasCrashed) return new Promise(() => {});
    if (!this.#isPaused) return Promise.resolve();
    return new Promise((resolve) => this.#late.push(resolve));
  }

  #after(trueMs: number, callback: () => void): () => void {
    let isCancelled = false;
    const cancelTimer = this.#world.clock.after(trueMs, () => {
      this.#timers.delete(cancel);
      const unlessCancelled = (): void => {
        if (!isCancelled) callback();
      };
      if (this.#isPaused) this.#late.push(unlessCancelled);
      else unlessCancelled();
    });
    const cancel = (): void => {
      isCancelled = true;
      this.#timers.delete(cancel);
      cancelTimer();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const cancel = this.clock.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  #leaseStore(store: LeaseStore): LeaseStore {
    const world = this.#world;
    return {
      tryAcquire: (key, owner, ttl) =>
        this.reach(() => world.reachable(() => store.tryAcquire(key, owner, ttl))),
      renew: (key, token, ttl) => this.reach(() => world.reachable(() => store.renew(key, token, ttl))),
      release: (key, token) => this.reach(() => world.reachable(() => store.release(key, token))),
    };
  }
}

class World {
  readonly clock = new ManualClock();
  readonly broker = new MemoryBroker({ clock: this.clock, ackWaitMs });
  readonly leases = new MemoryLeaseStore(this.clock);
  readonly rows = new Map<string, Row>(
    keys.map((key) => [key, { generation: 0, observedGeneration: 0, token: 0 }]),
  );
  readonly broken: string[] = [];
  readonly replicas: Replica[];
  /** The leases of the reconciles under way, those of crashed replicas excepted. */
  readonly #working = new Map<ReconcileLease, { readonly key: string; readonly replica: Replica }>();
  readonly #scenario: Scenario;
  #latencies = 0;
  #works = 0;
  #started = 0;
  #outageEndsMs = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.replicas = Array.from({ length: replicaCount }, () => this.#newReplica());
  }

  nextLatencyMs(): number {
    const { latenciesMs } = this.#scenario;
    return latenciesMs[this.#latencies++ % latenciesMs.length] ?? 0;
  }

  reachable<T>(call: () => Promise<T>): Promise<T> {
    if (this.clock.monotonicMs() >= this.#outageEndsMs) return call();
    return Promise.reject(new BowlineError("ConnectionFailed", "The database is away."));
  }

  async perform(action: Action): Promise<void> {
    switch (action.do) {
      case "change":
        return this.change(action.key);
      case "advance":
        return this.clock.advance(action.ms);
      case "outage":
        this.#outageEndsMs = this.clock.monotonicMs() + action.ms;
        return undefined;
      case "pause": {
        const worker = [...this.#working.values()].find(({ key }) => key === action.key)?.replica;
        worker?.pause();
        if (worker !== undefined) this.clock.after(action.ms, () => void worker.resume());
        return undefined;
      }
      case "crash":
        return this.#crash(action.replica);
    }
  }

  change(key: string): void {
    const row = this.#row(key);
    row.generation += 1;
    this.broker.publish(key, row.generation);
  }

  async reconcile(replica: Replica, key: string, { lease, signal }: ReconcileContext): Promise<void> {
    if (lease === undefined) throw new Error("no lease");
    this.#working.set(lease, { key, replica });
    try {
      const generation = await replica.reach(() =>
        this.reachable(() => Promise.resolve(this.#row(key).generation)),
      );
      const { workMs } = this.#scenario;
      await replica.clock.sleep(workMs[this.#works++ % workMs.length] ?? 0, signal);
      this.#checkBelievers(key);
      await replica.reach(() => this.reachable(async () => this.#write(key, generation, lease.token)));
      signal.throwIfAborted();
    } finally {
      this.#working.delete(lease);
    }
  }

  /** Everybody who believes to hold the key at this very moment, by a clock of his own. */
  #checkBelievers(key: string): void {
    const believers = [...this.#working].filter(([lease, work]) => work.key === key && believes(lease));
    if (believers.length <= 1) return;
    this.broken.push(`${believers.map(([, { replica }]) => replica.name).join(" and ")} both hold ${key}`);
  }

  #write(key: string, generation: number, token: number): void {
    const row = this.#row(key);
    if (token < row.token) throw new BowlineError("LeaseLost", "Somebody else has written since.");
    if (generation < row.observedGeneration) this.broken.push(`${key} went back to ${generation}`);
    row.token = token;
    row.observedGeneration = generation;
  }

  #crash(index: number): void {
    const replica = this.replicas[index];
    replica?.crash();
    for (const [lease, work] of this.#working) if (work.replica === replica) this.#working.delete(lease);
    this.replicas[index] = this.#newReplica();
  }

  #newReplica(): Replica {
    const { rates } = this.#scenario;
    this.#started += 1;
    return new Replica(this, `replica-${this.#started}`, rates[this.#started % rates.length] ?? 1);
  }

  #row(key: string): Row {
    const row = this.rows.get(key);
    if (row === undefined) throw new RangeError(`There is no row "${key}".`);
    return row;
  }
}

function believes(lease: ReconcileLease): boolean {
  try {
    lease.throwIfLost();
    return true;
  } catch {
    return false;
  }
}

test("whatever clocks, pauses, crashes and outages do, one replica works on a key, and all work is done", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const world = new World(scenario);
      for (const each of scenario.actions) await world.perform(each);
      await world.clock.advance(20_000);

      expect(world.broken).toEqual([]);
      for (const row of world.rows.values()) expect(row.observedGeneration).toBe(row.generation);
      expect(world.broker.size).toBe(0);

      for (const { stop } of world.replicas) stop.abort();
      await world.clock.advance(5_000);
      await Promise.all(world.replicas.map(({ running }) => running));
      expect(world.clock.pending).toBe(0);
    }),
    { numRuns: 400 },
  );
});
