import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import type { ReconcileLease } from "../reconcile/reconciler.ts";

/** The right of one owner to work on a key, for a while. */
export interface LeaseGrant {
  /** Higher than the token of every grant of this key before. */
  readonly token: number;
}

/**
 * Where replicas agree on who works on a key. Every method decides by the store's own clock and in one atomic step.
 * They reject when the store is out of reach.
 */
export interface LeaseStore {
  /**
   * Grants the key when nobody holds it, when the last lease has run out, and when this owner holds it already (which
   * ends its older grant). Undefined when somebody else holds it.
   */
  tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseGrant | undefined>;
  /** Makes a grant last `ttlMs` from now. False when it has ended: run out, released, or followed by another. */
  renew(key: string, token: number, ttlMs: number): Promise<boolean>;
  /** Ends a grant; does nothing when it has ended already. */
  release(key: string, token: number): Promise<void>;
}

export interface LeaseTerms {
  readonly store: LeaseStore;
  /** Names this process; nobody else may ever use the same, not even this program after a restart. */
  readonly owner: string;
  /** How long the others wait for a silent owner. */
  readonly ttlMs: number;
}

interface HeldLeaseOptions {
  readonly terms: LeaseTerms;
  readonly clock: Clock;
  readonly key: string;
  readonly onLost: (error: BowlineError) => void;
}

/** An owner gives up this share of the time early, because two clocks do not run equally fast. */
const safetyShare = 0.1;

/**
 * A lease that is kept until its owner lets go of it, or it is lost.
 *
 * Its time counts from before the store was asked, on the monotonic clock: whenever the store gets to it, it is not
 * earlier, so this side stops believing in the lease before the store gives it to somebody else.
 *
 * States:
 * - held: renewed every third of its time
 * - lost: the store said so, or its time passed without an answer; `onLost` was called
 * - let go: released, or abandoned to run out; the store is not asked any more
 */
export class HeldLease implements ReconcileLease {
  readonly token: number;
  readonly #options: HeldLeaseOptions;
  #state: "held" | "lost" | "let go" = "held";
  #validUntilMs: number;
  #cancelExpiry: () => void;
  #cancelRenewal: () => void;

  /** Undefined when somebody else holds the key. Rejects when the store is out of reach. */
  static async acquire(options: HeldLeaseOptions): Promise<HeldLease | undefined> {
    const { terms, clock, key } = options;
    const { store, owner, ttlMs } = terms;
    const askedMs = clock.monotonicMs();
    const onTimeout = (): Error =>
      new BowlineError("Timeout", `The lease store did not answer for "${key}" within ${ttlMs} ms.`);
    // A grant that comes later than that is worth nothing, and runs out by itself.
    const grant = await withDeadline(() => store.tryAcquire(key, owner, ttlMs), {
      clock,
      limitMs: ttlMs,
      onTimeout,
    });
    return grant === undefined ? undefined : new HeldLease(options, grant.token, askedMs);
  }

  private constructor(options: HeldLeaseOptions, token: number, askedMs: number) {
    this.#options = options;
    this.token = token;
    this.#validUntilMs = askedMs + this.#trustedMs();
    this.#cancelExpiry = this.#armExpiry();
    this.#cancelRenewal = this.#armRenewal();
  }

  throwIfLost(): void {
    if (this.#state === "held" && this.#options.clock.monotonicMs() < this.#validUntilMs) return;
    throw this.#lostError();
  }

  /** Lets others have the key at once. Never rejects: what cannot be released runs out. */
  async release(): Promise<void> {
    if (this.#state === "let go") return;
    this.abandon();
    const { terms, clock, key } = this.#options;
    const onTimeout = (): Error => new BowlineError("Timeout", `Could not release "${key}".`);
    try {
      await withDeadline(() => terms.store.release(key, this.token), {
        clock,
        limitMs: terms.ttlMs,
        onTimeout,
      });
    } catch {
      // By the time the limit has passed the lease has run out as well.
    }
  }

  /** Keeps it no longer and does not release it: for work that goes on though nobody waits for it. */
  abandon(): void {
    this.#cancelExpiry();
    this.#cancelRenewal();
    this.#state = "let go";
  }

  async #renew(): Promise<void> {
    const { terms, clock, key } = this.#options;
    const askedMs = clock.monotonicMs();
    const onTimeout = (): Error => new BowlineError("Timeout", `Could not renew "${key}".`);
    try {
      const isKept = await withDeadline(() => terms.store.renew(key, this.token, terms.ttlMs), {
        clock,
        limitMs: terms.ttlMs / 3,
        onTimeout,
      });
      if (!isKept) return this.#lose();
      this.#extend(askedMs + this.#trustedMs());
    } catch {
      // The store may answer the next time; if it does not, the time runs out.
    }
    if (this.#state === "held") this.#cancelRenewal = this.#armRenewal();
  }

  #extend(validUntilMs: number): void {
    if (this.#state !== "held") return;
    this.#cancelExpiry();
    this.#validUntilMs = validUntilMs;
    this.#cancelExpiry = this.#armExpiry();
  }

  #lose(): void {
    if (this.#state !== "held") return;
    this.abandon();
    this.#state = "lost";
    this.#options.onLost(this.#lostError());
  }

  #armExpiry(): () => void {
    const remainingMs = Math.max(0, this.#validUntilMs - this.#options.clock.monotonicMs());
    return this.#options.clock.after(remainingMs, () => this.#lose());
  }

  #armRenewal(): () => void {
    return this.#options.clock.after(this.#options.terms.ttlMs / 3, () => void this.#renew());
  }

  #trustedMs(): number {
    return this.#options.terms.ttlMs * (1 - safetyShare);
  }

  #lostError(): BowlineError {
    return new BowlineError("LeaseLost", `Another replica may be working on "${this.#options.key}" by now.`);
  }
}
