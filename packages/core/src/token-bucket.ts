export interface Rate {
  readonly perSecond: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

/** Sums of fractions of a millisecond are not exact. */
const toleranceMs = 1e-6;

/** Lets through a burst, and from then on so many per second. Keeps one number, so that thousands of them cost little. */
export class TokenBucket {
  readonly #perTokenMs: number;
  readonly #burstMs: number;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst }: Rate) {
    this.#perTokenMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#perTokenMs;
  }

  /** Takes a token if there is one and returns 0; else takes nothing and returns how long it is until there is one. */
  take(nowMs: number): number {
    const fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#perTokenMs;
    const waitMs = fullAtMs - nowMs - this.#burstMs;
    if (waitMs > toleranceMs) return waitMs;
    this.#fullAtMs = fullAtMs;
    return 0;
  }
}
