import type { Clock } from "./clock.ts";

/** Chance, as an argument: a number from 0 up to but not including 1. `Math.random` is one. */
export type Random = () => number;

export interface BackoffPolicy {
  /** The longest delay before the first retry. */
  readonly baseMs: number;
  /** No delay is ever longer. */
  readonly maxMs: number;
  /** How many times longer each delay is than the one before. */
  readonly factor: number;
  /** The share of a delay that chance may take away: 0 none, 1 all of it. It parts those who failed together. */
  readonly jitter: number;
}

export interface ResettingBackoffPolicy extends BackoffPolicy {
  /** Work that stayed healthy for this long after its last delay starts from the beginning at its next failure. */
  readonly resetAfterMs: number;
}

/** The numbers client-go's reflector uses for lists and watches. */
export const watchBackoff: ResettingBackoffPolicy = {
  baseMs: 800,
  maxMs: 30_000,
  factor: 2,
  jitter: 0.5,
  resetAfterMs: 120_000,
};

/** Spreads retries over the whole delay: for a crowd that fails at the same moment, such as all agents of a server. */
export const fullJitterBackoff: ResettingBackoffPolicy = { ...watchBackoff, jitter: 1 };

/** How long to wait before retry number `attempt`, counted from 0. */
export function backoffDelayMs(attempt: number, policy: BackoffPolicy, random: Random): number {
  // A great power is Infinity, and Infinity times a base of 0 is not a number.
  const growth = Math.min(policy.factor ** Math.max(0, attempt), Number.MAX_VALUE);
  const longestMs = Math.min(policy.maxMs, policy.baseMs * growth);
  return Math.round(longestMs * (1 - policy.jitter * random()));
}

/** Counts failures in a row and says how long to wait after each. */
export class Backoff {
  readonly #policy: ResettingBackoffPolicy;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #random: Random;
  #attempt = 0;
  #lastDelayEndsMs = 0;

  constructor(policy: ResettingBackoffPolicy, clock: Pick<Clock, "monotonicMs">, random: Random) {
    this.#policy = policy;
    this.#clock = clock;
    this.#random = random;
  }

  /** How many delays were given since the last reset. */
  get attempt(): number {
    return this.#attempt;
  }

  /** The delay after a failure that happens now. */
  nextDelayMs(): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lastDelayEndsMs >= this.#policy.resetAfterMs) this.reset();
    const delayMs = backoffDelayMs(this.#attempt, this.#policy, this.#random);
    this.#attempt += 1;
    this.#lastDelayEndsMs = nowMs + delayMs;
    return delayMs;
  }

  /** Starts from the beginning, where success is known better than by time. */
  reset(): void {
    this.#attempt = 0;
  }
}
