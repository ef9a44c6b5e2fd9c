import { Backoff, type Random, type ResettingBackoffPolicy } from "./backoff.ts";
import { BowlineError } from "./bowline-error.ts";
import type { Clock } from "./clock.ts";
import { withDeadline } from "./deadline.ts";
import type { ChildSnapshot, ChildSpec, ChildState, ChildTransition } from "./supervision.ts";

/** The supervisor of a child, as far as the child needs it. */
export interface ChildHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff: ResettingBackoffPolicy;
  readonly stopLimitMs: number;
  admitRestart(): boolean;
  giveUp(child: string, failure: BowlineError): void;
  onTransition(transition: ChildTransition): void;
}

type TransitionFacts = Pick<ChildTransition, "error" | "delayMs">;

/** One child over all its instances, for one run of its supervisor. */
export class SupervisedChild {
  readonly spec: ChildSpec;
  readonly #host: ChildHost;
  /** Aborts when there must be no further instance. */
  readonly #halt = new AbortController();
  /** Aborts when the instance has to end. */
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;
  #stopping: Promise<BowlineError | undefined> | undefined;
  #isAlive = false;
  #state: ChildState = "stopped";
  #sinceMs: number;
  #restarts = 0;
  #lastError: BowlineError | undefined;

  constructor(spec: ChildSpec, host: ChildHost) {
    this.spec = spec;
    this.#host = host;
    this.#sinceMs = host.clock.now();
  }

  /** Whether an instance runs, be it one that was left behind. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  start(): void {
    this.#ended ??= this.#supervise();
  }

  /** No restart from now on; a delay under way is cut short. A running instance goes on. */
  halt(): void {
    this.#halt.abort();
  }

  /**
   * Ends the child for good. Resolves to an error when something of it is left behind, still running. Joins a stop that
   * is under way.
   */
  stop(): Promise<BowlineError | undefined> {
    this.#stopping ??= this.#stopOnce().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  snapshot(): ChildSnapshot {
    const { name, snapshot } = this.spec;
    const error = this.#lastError;
    return {
      name,
      state: this.#state,
      sinceMs: this.#sinceMs,
      restarts: this.#restarts,
      ...(error === undefined ? {} : { lastError: { code: error.code, message: error.message } }),
      ...(snapshot === undefined ? {} : { children: snapshot().children }),
    };
  }

  async #stopOnce(): Promise<BowlineError | undefined> {
    this.halt();
    if (this.#isAlive) this.#enter("stopping");
    this.#stop.abort(new BowlineError("Cancelled", `"${this.spec.name}" was told to stop.`));
    const limitMs = this.spec.stopLimitMs ?? this.#host.stopLimitMs;
    const error = new BowlineError(
      "ShutdownTimeout",
      `"${this.spec.name}" did not stop within ${limitMs} ms.`,
    );
    const onTimeout = (): Error => error;
    // Nothing but the limit rejects: `#supervise` does not.
    await withDeadline(() => this.#ended, { clock: this.#host.clock, limitMs, onTimeout }).catch(() => {});
    if (this.#isAlive) {
      this.#enter("failed", { error });
      return error;
    }
    await this.#ended;
    const leftBehind = this.#state === "failed" && this.#lastError?.code === "ShutdownTimeout";
    return leftBehind ? this.#lastError : undefined;
  }

  async #supervise(): Promise<void> {
    const { clock, random, backoff: policy } = this.#host;
    const backoff = new Backoff(policy, clock, random);
    for (;;) {
      const error = await this.#runInstance();
      if (error === undefined) return this.#enter("stopped");
      if (this.#halt.signal.aborted) return this.#enter(stateAfterHalt(error), { error });
      if (this.spec.restart === "temporary") return this.#enter("failed", { error });
      if (!this.#host.admitRestart()) return this.#giveUp(error);
      const delayMs = backoff.nextDelayMs();
      this.#enter("backing-off", { error, delayMs });
      if (!(await this.#waits(delayMs))) return this.#enter("stopped");
      this.#restarts += 1;
    }
  }

  /** Runs an instance to its end and tells how it failed, if it did. */
  async #runInstance(): Promise<BowlineError | undefined> {
    const ready = (): void => {
      // A late call, from an instance that ended or was told to, changes nothing.
      if (isCurrent && this.#state === "starting") this.#enter("running");
    };
    let isCurrent = true;
    this.#isAlive = true;
    this.#enter(this.spec.reportsReady === true ? "starting" : "running");
    try {
      await this.spec.run(this.#stop.signal, ready);
      return this.#failureOfFinishing();
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      return this.#stop.signal.aborted && error.code === "Cancelled" ? undefined : error;
    } finally {
      isCurrent = false;
      this.#isAlive = false;
    }
  }

  #failureOfFinishing(): BowlineError | undefined {
    const { name, restart = "permanent" } = this.spec;
    if (restart !== "permanent" || this.#halt.signal.aborted) return undefined;
    return new BowlineError("Internal", `"${name}" ended, though it has to run always.`);
  }

  async #waits(delayMs: number): Promise<boolean> {
    await this.#host.clock.sleep(delayMs, this.#halt.signal).catch(() => {});
    return !this.#halt.signal.aborted;
  }

  #giveUp(error: BowlineError): void {
    this.#enter("failed", { error });
    this.#host.giveUp(this.spec.name, error);
  }

  #enter(to: ChildState, facts: TransitionFacts = {}): void {
    const from = this.#state;
    this.#state = to;
    this.#sinceMs = this.#host.clock.now();
    this.#lastError = facts.error ?? this.#lastError;
    this.#host.onTransition({ child: this.spec.name, from, to, ...facts });
  }
}

/** A supervisor that left a child of its own behind is not stopped; any other error on the way out is of no interest. */
function stateAfterHalt(error: BowlineError): ChildState {
  return error.code === "ShutdownTimeout" ? "failed" : "stopped";
}
