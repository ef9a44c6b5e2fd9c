import { BowlineError, type Clock } from "@bowline/core";

import type { Reconciler } from "../reconcile/reconciler.ts";
import { HeldLease, type LeaseTerms } from "./held-lease.ts";
import { outcomeOf, type AbortCause, type Outcome, type RunEnd } from "./outcome.ts";

interface AttemptSettings {
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly timeLimitMs: number;
  /** How long it may take to end after it was told to. */
  readonly abortGraceMs: number;
  readonly leases?: LeaseTerms;
}

/**
 * One call of a reconciler, under a lease and a time limit.
 *
 * States:
 * - leasing: asks for the lease, where there are leases
 * - running: the reconciler works
 * - aborted: it was told to end, by the time limit, a lost lease or a stop, and has a little time for that
 * - stuck: it did not; `outcome` is known and nobody waits, but the key stays taken until it ends after all
 * - over: it ended
 */
export class Attempt {
  readonly key: string;
  /** The number of this attempt in a row, from 1. */
  readonly number: number;
  /** Wall clock. */
  readonly sinceMs: number;
  readonly #settings: AttemptSettings;
  readonly #control = new AbortController();
  readonly #outcome = Promise.withResolvers<Outcome>();
  readonly #over = Promise.withResolvers<void>();
  #lease: HeldLease | undefined;
  #cause: AbortCause | undefined;
  #isRunning = false;
  #isStuck = false;
  #cancelTimer = (): void => {};

  constructor(key: string, number: number, settings: AttemptSettings) {
    this.key = key;
    this.number = number;
    this.sinceMs = settings.clock.now();
    this.#settings = settings;
  }

  /** It ignored that it was told to end, and goes on alone. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  get lease(): HeldLease | undefined {
    return this.#lease;
  }

  /** Resolves when the reconciler does nothing more, also when it was stuck. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Never rejects, and resolves at the latest when the time limit and the grace have passed, after getting the lease. */
  async run(): Promise<Outcome> {
    const { leases, clock, timeLimitMs } = this.#settings;
    const refused = leases === undefined ? undefined : await this.#acquire(leases);
    if (refused !== undefined) return this.#endUnstarted(refused);
    if (this.#cause !== undefined) return this.#endUnstarted(outcomeOf("stuck", this.#cause));
    this.#isRunning = true;
    this.#cancelTimer = clock.after(timeLimitMs, () => this.abort(this.#timeLimitPassed()));
    void this.#reconcile();
    return this.#outcome.promise;
  }

  /** Tells it to end, or not to begin. Only the first cause counts. */
  abort(cause: AbortCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    if (!this.#isRunning) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#settings.clock.after(this.#settings.abortGraceMs, () => {
      this.#isStuck = true;
      this.#outcome.resolve(outcomeOf("stuck", cause));
    });
    this.#control.abort(cause.error);
  }

  /** Lets go of the lease: at once, or by letting it run out if the work goes on. */
  async releaseLease(): Promise<void> {
    if (this.#isStuck) this.#lease?.abandon();
    else await this.#lease?.release();
  }

  async #acquire(terms: LeaseTerms): Promise<Outcome | undefined> {
    const { key } = this;
    const { clock } = this.#settings;
    const onLost = (error: BowlineError): void => this.abort({ why: "lease lost", error });
    try {
      this.#lease = await HeldLease.acquire({ terms, clock, key, onLost });
      if (this.#lease !== undefined) return undefined;
      return { kind: "unleased", error: new BowlineError("LeaseLost", `Another replica works on "${key}".`) };
    } catch (thrown) {
      // That the store is out of reach says nothing about the object: it must not use up its attempts.
      return { kind: "unleased", error: BowlineError.from(thrown) };
    }
  }

  async #reconcile(): Promise<void> {
    const { key, number: attempt } = this;
    const context = { signal: this.#control.signal, lease: this.#lease };
    try {
      this.#end({ result: await this.#settings.reconciler.reconcile({ key, attempt }, context) });
    } catch (thrown) {
      this.#end({ thrown });
    }
  }

  #end(end: RunEnd): void {
    this.#isRunning = false;
    this.#cancelTimer();
    this.#outcome.resolve(outcomeOf(end, this.#cause));
    this.#over.resolve();
  }

  #endUnstarted(outcome: Outcome): Outcome {
    this.#over.resolve();
    return outcome;
  }

  #timeLimitPassed(): AbortCause {
    const { timeLimitMs } = this.#settings;
    const error = new BowlineError(
      "Timeout",
      `Reconciling "${this.key}" took longer than ${timeLimitMs} ms.`,
    );
    return { why: "time limit", error };
  }
}
