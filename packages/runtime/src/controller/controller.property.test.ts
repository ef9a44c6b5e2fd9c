import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { TerminalError, WaitingError } from "../reconcile/reconcile-error.ts";
import { done, requeueAfter, type ReconcileContext, type ReconcileResult } from "../reconcile/reconciler.ts";
import { Controller } from "./controller.ts";
import type { DeadLetter } from "./controller-state.ts";

type Ending = "done" | "requeue" | "fail" | "fail oddly" | "terminal" | "wait";

/** The behaviour of one call of the reconciler. */
interface Call {
  readonly takesMs: number;
  readonly ending: Ending;
  /** Goes on for this long after it was told to end. */
  readonly lingersMs: number;
}

type Action =
  | { readonly do: "enqueue"; readonly key: string; readonly delayMs: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "restart" };

interface Scenario {
  readonly concurrency: number;
  readonly calls: readonly Call[];
  readonly actions: readonly Action[];
  readonly chances: readonly number[];
}

const maxAttempts = 4;
const limits = { timeLimitMs: 100, abortGraceMs: 20, drainLimitMs: 50 };
const backoff = { baseMs: 10, maxMs: 100, factor: 2, jitter: 0.5 };
const endings: readonly Ending[] = ["done", "requeue", "fail", "fail oddly", "terminal", "wait"];

const call: fc.Arbitrary<Call> = fc.record({
  takesMs: fc.oneof(fc.constant(0), fc.nat(150)),
  ending: fc.constantFrom(...endings),
  lingersMs: fc.oneof(fc.constant(0), fc.nat(60)),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("enqueue" as const),
      key: fc.constantFrom("a", "b", "c", "d"),
      delayMs: fc.oneof(fc.constant(0), fc.nat(80)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(120) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
  concurrency: fc.integer({ min: 1, max: 3 }),
  calls: fc.array(call, { minLength: 1, maxLength: 12 }),
  actions: fc.array(action, { maxLength: 40, size: "max" }),
  chances: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 1,
    maxLength: 6,
  }),
});

/** A controller whose reconciler does as planned, and a record of what it got wrong. */
class World {
  readonly clock = new ManualClock();
  readonly controller: Controller;
  readonly broken: string[] = [];
  readonly #scenario: Scenario;
  readonly #running = new Map<string, number>();
  /** When a key failed last, and whether it was enqueued since: then it need not wait. */
  readonly #failures = new Map<string, { readonly endedMs: number; isWoken: boolean }>();
  /** Keys that somebody wants looked at and nobody has begun to look at since. */
  readonly #wanted = new Set<string>();
  #stop = new AbortController();
  #run: Promise<unknown> = Promise.resolve();
  #calls = 0;
  #draws = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.controller = new Controller({
      name: "test",
      clock: this.clock,
      random: () => scenario.chances[this.#draws++ % scenario.chances.length] ?? 0,
      concurrency: scenario.concurrency,
      maxAttempts,
      backoff,
      ...limits,
      reconciler: { reconcile: ({ key, attempt }, context) => this.#reconcile(key, attempt, context) },
      onDeadLetter: (deadLetter) => this.#checkDeadLetter(deadLetter),
    });
  }

  start(): void {
    this.#stop = new AbortController();
    this.#run = this.controller.run(this.#stop.signal).catch((error: unknown) => error);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(limits.drainLimitMs + limits.abortGraceMs);
    await this.#run;
  }

  async perform(action: Action): Promise<void> {
    if (action.do === "advance") return this.clock.advance(action.ms);
    if (action.do === "enqueue") return this.enqueue(action.key, action.delayMs);
    await this.stop();
    this.start();
    return undefined;
  }

  enqueue(key: string, delayMs = 0): void {
    this.#wanted.add(key);
    const failures = this.#failures.get(key);
    if (failures !== undefined) failures.isWoken = true;
    this.controller.enqueue(key, { delayMs });
  }

  /** The work that is left when everything has had all the time it needs. */
  get unfinished(): string[] {
    return [...this.#wanted];
  }

  async #reconcile(key: string, attempt: number, context: ReconcileContext): Promise<ReconcileResult> {
    const planned = this.#scenario.calls[this.#calls++ % this.#scenario.calls.length];
    this.#check(key, attempt);
    this.#wanted.delete(key);
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    try {
      if (planned !== undefined) await this.#live(planned, context.signal);
      return this.#conclude(key, planned?.ending ?? "done", context.signal);
    } finally {
      this.#running.set(key, (this.#running.get(key) ?? 0) - 1);
    }
  }

  #check(key: string, attempt: number): void {
    const active = this.controller.state().active.filter(({ isStuck }) => !isStuck);
    if (active.length > this.#scenario.concurrency) this.broken.push("more at once than allowed");
    if ((this.#running.get(key) ?? 0) > 0) this.broken.push(`${key} is reconciled twice at once`);
    if (attempt > maxAttempts) this.broken.push(`${key} got attempt ${attempt}`);
    this.#checkBackoff(key, attempt);
  }

  #checkBackoff(key: string, attempt: number): void {
    const failed = this.#failures.get(key);
    if (failed === undefined || failed.isWoken || attempt === 1) return;
    const shortestMs =
      Math.min(backoff.maxMs, backoff.baseMs * backoff.factor ** (attempt - 2)) * (1 - backoff.jitter);
    if (this.clock.monotonicMs() - failed.endedMs < Math.floor(shortestMs))
      this.broken.push(`${key} was retried too soon`);
  }

  async #live({ takesMs, lingersMs }: Call, signal: AbortSignal): Promise<void> {
    await this.clock.sleep(takesMs, signal).catch(() => this.clock.sleep(lingersMs));
  }

  #conclude(key: string, ending: Ending, signal: AbortSignal): ReconcileResult {
    this.#failures.delete(key);
    if (signal.aborted) {
      this.#failures.set(key, { endedMs: -Infinity, isWoken: true });
      throw signal.reason;
    }
    if (ending === "done") return done;
    if (ending === "requeue") return requeueAfter(30);
    if (ending === "terminal") throw new TerminalError("Bad", "Bad.");
    if (ending === "wait") throw new WaitingError("Later", "Later.", { requeueAfterMs: 40 });
    this.#failures.set(key, { endedMs: this.clock.monotonicMs(), isWoken: this.#wanted.has(key) });
    // oxlint-disable-next-line typescript/only-throw-error -- reconcilers of others may do this
    throw ending === "fail oddly" ? "no error" : new Error("broken");
  }

  #checkDeadLetter({ terminal, attempts }: DeadLetter): void {
    if (!terminal && attempts < maxAttempts) this.broken.push(`given up after ${attempts} attempts`);
  }
}

test("whatever reconcilers do, the laws of the controller hold", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const world = new World(scenario);
      world.start();
      for (const each of scenario.actions) await world.perform(each);
      await world.clock.advance(3000);
      expect(world.broken).toEqual([]);
      expect(world.unfinished).toEqual([]);
      await world.stop();
      // An attempt that was left behind ends by itself; after that there is nothing.
      await world.clock.advance(1000);
      expect(world.controller.state().active).toEqual([]);
      expect(world.clock.pending).toBe(0);
    }),
    { numRuns: 300 },
  );
});
