import * as fc from "fast-check";
import { expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import type { ChildSpec, ChildState, ChildTransition, RestartType } from "./supervision.ts";
import { Supervisor } from "./supervisor.ts";
import { ManualClock } from "./testing/manual-clock.ts";

/** The behaviour of one instance: lives for a while, unless told to end, then fails or finishes. */
interface Life {
  readonly end: "crash" | "crash at once" | "finish" | "hang";
  readonly livesMs: number;
  /** How long it takes to end once told to; longer than the limit for some. */
  readonly lingersMs: number;
}

interface ChildPlan {
  readonly restart: RestartType;
  readonly reportsReady: boolean;
  readonly lives: readonly Life[];
}

type Action =
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "add" | "remove"; readonly index: number; readonly nested: boolean };

interface Scenario {
  readonly plans: readonly ChildPlan[];
  readonly nestedPlans: readonly ChildPlan[];
  readonly actions: readonly Action[];
  readonly seed: readonly number[];
}

const stopLimitMs = 50;
const intensity = { maxRestarts: 4, withinMs: 500 };
const longEnoughMs = 100_000;

const life: fc.Arbitrary<Life> = fc.record({
  end: fc.constantFrom("crash", "crash at once", "finish", "hang"),
  livesMs: fc.nat(200),
  lingersMs: fc.oneof(fc.constant(0), fc.nat(2 * stopLimitMs)),
});
const plan: fc.Arbitrary<ChildPlan> = fc.record({
  restart: fc.constantFrom("permanent", "transient", "temporary"),
  reportsReady: fc.boolean(),
  lives: fc.array(life, { minLength: 1, maxLength: 6 }),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(300) }) },
  fc.record({
    do: fc.constantFrom("add" as const, "remove" as const),
    index: fc.nat(3),
    nested: fc.boolean(),
  }),
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
  nestedPlans: fc.array(plan, { minLength: 1, maxLength: 4 }),
  actions: fc.array(action, { maxLength: 20 }),
  seed: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 1,
    maxLength: 8,
  }),
});

const lawful: Readonly<Record<ChildState, readonly ChildState[]>> = {
  stopped: ["starting", "running"],
  starting: ["running", "backing-off", "stopping", "stopped", "failed"],
  running: ["backing-off", "stopping", "stopped", "failed"],
  "backing-off": ["starting", "running", "stopped"],
  stopping: ["stopped", "failed"],
  failed: ["stopping", "stopped"],
};

/** One supervisor in another, with children that do as planned, and a record of all that happened. */
class World {
  readonly clock = new ManualClock();
  readonly alive = new Map<string, number>();
  readonly restartTimesMs = new Map<string, number[]>();
  readonly broken: string[] = [];
  readonly inner: Supervisor;
  readonly root: Supervisor;
  isOver = false;
  readonly #seed: readonly number[];
  #drawn = 0;

  constructor({ plans, nestedPlans, seed }: Scenario) {
    this.#seed = seed;
    this.inner = this.#supervisor("inner");
    this.root = this.#supervisor("root");
    for (const [index, each] of nestedPlans.entries()) this.inner.add(this.child(`inner-${index}`, each));
    for (const [index, each] of plans.entries()) this.root.add(this.child(`root-${index}`, each));
    this.root.add(this.inner.asChild());
  }

  child(name: string, { lives, ...rest }: ChildPlan): ChildSpec {
    let instances = 0;
    return {
      name,
      ...rest,
      run: async (signal, ready) => {
        const planned = lives[instances % lives.length];
        instances += 1;
        const { state } = (name.startsWith("inner") ? this.inner : this.root).snapshot();
        if (state !== "running" || this.isOver) this.broken.push(`${name} started after the stop`);
        this.alive.set(name, (this.alive.get(name) ?? 0) + 1);
        if (this.alive.get(name) !== 1) this.broken.push(`${name} runs twice`);
        try {
          if (planned !== undefined) await this.#live(planned, signal, ready);
        } finally {
          this.alive.set(name, (this.alive.get(name) ?? 0) - 1);
        }
      },
    };
  }

  async #live({ end, livesMs, lingersMs }: Life, signal: AbortSignal, ready: () => void): Promise<void> {
    if (end === "crash at once") throw new Error("crashed at once");
    ready();
    await this.clock
      .sleep(end === "hang" ? Infinity : livesMs, signal)
      .catch(() => this.clock.sleep(lingersMs));
    if (end === "crash") throw new Error("crashed");
  }

  #supervisor(name: string): Supervisor {
    return new Supervisor({
      name,
      clock: this.clock,
      random: () => this.#seed[this.#drawn++ % this.#seed.length] ?? 0,
      intensity,
      stopLimitMs,
      backoff: { baseMs: 20, maxMs: 200, factor: 2, jitter: 0.5, resetAfterMs: 1000 },
      onTransition: (transition) => this.#record(name, transition),
    });
  }

  #record(supervisor: string, { child, from, to }: ChildTransition): void {
    if (!lawful[from].includes(to)) this.broken.push(`${child} went from ${from} to ${to}`);
    if (to !== "backing-off") return;
    const nowMs = this.clock.monotonicMs();
    const timesMs = this.restartTimesMs.get(supervisor) ?? [];
    // A new run of the inner supervisor counts from the beginning.
    if (supervisor === "root" && child === "inner") this.restartTimesMs.delete("inner");
    const recentMs = [...timesMs.filter((atMs) => nowMs - atMs < intensity.withinMs), nowMs];
    if (recentMs.length > intensity.maxRestarts) this.broken.push(`${supervisor} restarted too often`);
    this.restartTimesMs.set(supervisor, recentMs);
  }

  /** Changes that come while a supervisor stops, or for a child that will not end, are refused: that is lawful. */
  async perform(action: Action, plans: readonly ChildPlan[]): Promise<void> {
    if (action.do === "advance") return this.clock.advance(action.ms);
    const supervisor = action.nested ? this.inner : this.root;
    const name = `${supervisor.name}-${action.index}`;
    const planned = plans[action.index % plans.length];
    try {
      if (action.do === "add" && planned !== undefined) supervisor.add(this.child(name, planned));
      else if (action.do === "remove")
        await Promise.all([supervisor.remove(name), this.clock.advance(stopLimitMs)]);
    } catch (error) {
      if (!["Cancelled", "InvalidArgument", "ShutdownTimeout"].includes(codeOf(error))) throw error;
    }
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof BowlineError ? error.code : "none";
}

test("whatever children do, the laws of supervision hold", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const world = new World(scenario);
      const { root, inner, clock } = world;
      let outcome = "ended well";
      const run = root.run().catch((error: unknown) => {
        outcome = codeOf(error);
      });
      for (const each of scenario.actions) await world.perform(each, scenario.plans);
      const stopped = root.stop();
      await clock.advance(longEnoughMs);
      await Promise.all([run, stopped]);
      world.isOver = true;
      await clock.advance(longEnoughMs);

      expect(world.broken).toEqual([]);
      expect([...world.alive.values()].filter((count) => count !== 0)).toEqual([]);
      expect(clock.pending).toBe(0);
      const children = [...root.snapshot().children, ...inner.snapshot().children];
      expect(["stopped", "failed"]).toEqual(expect.arrayContaining(children.map((child) => child.state)));
      expect(["ended well", "SupervisorGaveUp", "ShutdownTimeout"]).toContain(outcome);
      expect(root.snapshot().state).toBe(outcome === "ended well" ? "stopped" : "failed");
    }),
    { numRuns: 300 },
  );
});
