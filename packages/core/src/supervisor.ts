import { watchBackoff, type Random, type ResettingBackoffPolicy } from "./backoff.ts";
import { BowlineError } from "./bowline-error.ts";
import type { Clock } from "./clock.ts";
import { SupervisedChild, type ChildHost } from "./supervised-child.ts";
import type { ChildSpec, ChildTransition, SupervisorSnapshot, SupervisorState } from "./supervision.ts";

interface RestartIntensityOptions {
  /** How many restarts, of all children together, are tolerated … */
  readonly maxRestarts: number;
  /** … within any stretch of time this long. */
  readonly withinMs: number;
}

/** Remembers recent restarts and says whether one more is tolerable. */
export class RestartIntensity {
  readonly #options: RestartIntensityOptions;
  /** Never longer than `maxRestarts`. */
  #recentMs: number[] = [];

  constructor(options: RestartIntensityOptions) {
    this.#options = options;
  }

  /** Counts a restart at `nowMs`, unless it would be one too many. */
  admit(nowMs: number): boolean {
    const { maxRestarts, withinMs } = this.#options;
    this.#recentMs = this.#recentMs.filter((atMs) => nowMs - atMs < withinMs);
    if (this.#recentMs.length >= maxRestarts) return false;
    this.#recentMs.push(nowMs);
    return true;
  }
}

export interface SupervisorOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * When to give up. By default 10 restarts within a minute: one sick child alone, slowed by the default backoff, does
   * not get there; several together, or one without backoff, do.
   */
  readonly intensity?: RestartIntensityOptions;
  readonly backoff?: ResettingBackoffPolicy;
  /** How long a child may take to end, unless it says otherwise; 10 seconds by default. */
  readonly stopLimitMs?: number;
  /** Must not throw: nobody could catch it. */
  readonly onTransition?: (transition: ChildTransition) => void;
}

const defaultIntensity: RestartIntensityOptions = { maxRestarts: 10, withinMs: 60_000 };
const defaultStopLimitMs = 10_000;

/** One stretch from `run` to its end. */
interface Run {
  readonly intensity: RestartIntensity;
  /** Resolves when the children are to be stopped. */
  readonly ending: PromiseWithResolvers<GivingUp | undefined>;
  /** Resolves when they are. */
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Keeps children running: each that fails is restarted alone, after a delay. When restarts come too often, it stops the
 * other children, the last first, and fails itself; its parent, which may be a supervisor, decides what then. A child
 * that is a supervisor keeps its own children going until its turn to stop, since those that stop before may need them.
 * The states are listed at `ChildState` and `SupervisorState`.
 */
export class Supervisor {
  readonly name: string;
  readonly #options: SupervisorOptions;
  #children = new Map<string, SupervisedChild>();
  #run: Run | undefined;
  #state: SupervisorState = "stopped";
  #sinceMs: number;

  constructor(options: SupervisorOptions) {
    this.name = options.name;
    this.#options = options;
    this.#sinceMs = options.clock.now();
  }

  /** Adds a child, and starts it if the supervisor runs. */
  add(spec: ChildSpec): void {
    if (this.#state === "stopping")
      throw new BowlineError("Cancelled", `Supervisor "${this.name}" is stopping.`);
    if (this.#children.has(spec.name)) {
      throw new BowlineError(
        "InvalidArgument",
        `Supervisor "${this.name}" has a child "${spec.name}" already.`,
      );
    }
    const child = new SupervisedChild(spec, this.#host());
    this.#children.set(spec.name, child);
    if (this.#state === "running") child.start();
  }

  /**
   * Stops a child and forgets it; does nothing when there is none of that name. Rejects with `ShutdownTimeout` when the
   * child does not end: it stays listed, so that its name cannot be taken while it runs.
   */
  async remove(name: string): Promise<void> {
    // More than once only if the supervisor was stopped and run again meanwhile, with a new child of that name.
    for (let child = this.#children.get(name); child !== undefined; child = this.#children.get(name)) {
      const leftBehind = await child.stop();
      if (leftBehind !== undefined) throw leftBehind;
      if (this.#children.get(name) === child) this.#children.delete(name);
    }
  }

  /**
   * Runs the children until the signal aborts or `stop` is called. Rejects with `SupervisorGaveUp` after too many
   * restarts, and with `ShutdownTimeout` when a child did not end when told to. May be called again afterwards.
   */
  async run(signal?: AbortSignal): Promise<void> {
    if (this.#run !== undefined) {
      throw new BowlineError("InvalidArgument", `Supervisor "${this.name}" runs already.`);
    }
    this.#refuseIfLeftBehind();
    if (signal?.aborted === true) return;

    const run = this.#newRun();
    this.#run = run;
    const onAbort = (): void => this.#end(undefined);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      this.#startChildren();
      const givingUp = await run.ending.promise;
      const leftBehind = await this.#stopChildren();
      const error = supervisorError(this.name, { givingUp, leftBehind });
      this.#enter(error === undefined ? "stopped" : "failed");
      if (error !== undefined) throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#run = undefined;
      run.ended.resolve();
    }
  }

  /** Stops the children, the last first, and waits for them, each up to its limit; `run` tells if one was left behind. */
  async stop(): Promise<void> {
    const run = this.#run;
    this.#end(undefined);
    await run?.ended.promise;
  }

  /** How everything stands now. */
  snapshot(): SupervisorSnapshot {
    const children = [...this.#children.values()].map((child) => child.snapshot());
    return { name: this.name, state: this.#state, sinceMs: this.#sinceMs, children };
  }

  /** Makes this supervisor a child of another one. It may take as long to stop as its own children's limits add up to. */
  asChild(options: Pick<ChildSpec, "restart" | "stopLimitMs"> = {}): ChildSpec {
    return {
      name: this.name,
      run: (signal) => this.run(signal),
      snapshot: () => this.snapshot(),
      stopLimitMs: Infinity,
      ...options,
    };
  }
  #newRun(): Run {
    return {
      intensity: new RestartIntensity(this.#options.intensity ?? defaultIntensity),
      ending: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    };
  }

  #host(): ChildHost {
    const {
      clock,
      random,
      backoff = watchBackoff,
      stopLimitMs = defaultStopLimitMs,
      onTransition,
    } = this.#options;
    return {
      clock,
      random,
      backoff,
      stopLimitMs,
      admitRestart: () => this.#run?.intensity.admit(clock.monotonicMs()) ?? false,
      giveUp: (child, failure) => this.#end({ child, failure }),
      onTransition: (transition) => onTransition?.(transition),
    };
  }

  #startChildren(): void {
    const host = this.#host();
    const specs = [...this.#children.values()].map((child) => child.spec);
    this.#children = new Map(specs.map((spec) => [spec.name, new SupervisedChild(spec, host)]));
    this.#enter("running");
    for (const child of this.#children.values()) {
      // A child that ran may have stopped the supervisor at once.
      if (this.#state === "running") child.start();
    }
  }

  #end(givingUp: GivingUp | undefined): void {
    if (this.#state !== "running") return;
    this.#enter("stopping");
    for (const child of this.#children.values()) child.halt();
    this.#run?.ending.resolve(givingUp);
  }

  async #stopChildren(): Promise<string[]> {
    const leftBehind: string[] = [];
    for (const child of [...this.#children.values()].toReversed()) {
      if ((await child.stop()) !== undefined) leftBehind.push(child.spec.name);
    }
    return leftBehind;
  }

  /** Two instances of one child must never run, so what the last run left behind has to end before the next one. */
  #refuseIfLeftBehind(): void {
    const alive = [...this.#children.values()].filter((child) => child.isAlive);
    const leftBehind = alive.map((child) => child.spec.name);
    const error = supervisorError(this.name, { leftBehind });
    if (error !== undefined) throw error;
  }

  #enter(state: SupervisorState): void {
    this.#state = state;
    this.#sinceMs = this.#options.clock.now();
  }
}

/** The failure that was one too many. */
interface GivingUp {
  readonly child: string;
  readonly failure: BowlineError;
}

interface RunOutcome {
  readonly givingUp?: GivingUp | undefined;
  /** The children that did not end when told to. */
  readonly leftBehind: readonly string[];
}

/** The error that a run of a supervisor rejects with; undefined when it ended as it should. */
function supervisorError(supervisor: string, outcome: RunOutcome): BowlineError | undefined {
  const { givingUp, leftBehind } = outcome;
  if (givingUp !== undefined) {
    const { child, failure } = givingUp;
    const message = `Supervisor "${supervisor}" gave up after too many restarts; "${child}" failed last: ${failure.message}`;
    return new BowlineError("SupervisorGaveUp", message, {
      cause: failure,
      details: { supervisor, child, leftBehind },
    });
  }
  if (leftBehind.length === 0) return undefined;
  const names = leftBehind.map((name) => `"${name}"`).join(", ");
  return new BowlineError(
    "ShutdownTimeout",
    `Supervisor "${supervisor}" left ${names} behind, still running.`,
    {
      details: { supervisor, leftBehind },
    },
  );
}
