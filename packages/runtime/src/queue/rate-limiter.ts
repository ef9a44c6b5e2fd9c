import { BowlineError } from "@bowline/core";

export interface RateLimit {
  readonly perSecond: number;
  /** How many may go at once after a pause. */
  readonly burst: number;
}

/** A token bucket that can be asked without taking. */
export class RateLimiter {
  readonly #perTokenMs: number;
  readonly #burst: number;
  /** When the next token is due, had nobody saved any. */
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst }: RateLimit) {
    if (!(perSecond > 0) || !(burst >= 1)) {
      throw new BowlineError(
        "InvalidArgument",
        "A rate limit needs perSecond above 0 and a burst of at least 1.",
      );
    }
    this.#perTokenMs = 1000 / perSecond;
    this.#burst = burst;
  }

  /** When there is a token: now or earlier means that there is one. */
  availableAtMs(nowMs: number): number {
    return Math.max(this.#nextMs, nowMs - (this.#burst - 1) * this.#perTokenMs);
  }

  take(nowMs: number): void {
    this.#nextMs = this.availableAtMs(nowMs) + this.#perTokenMs;
  }
}
