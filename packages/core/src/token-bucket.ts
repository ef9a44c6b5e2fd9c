import { BowlineError } from "./bowline-error.ts";

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
  /** How long the bucket takes to save all tokens but one. */
  readonly #savedMs: number;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst }: Rate) {
    if (!(perSecond > 0) || !(burst >= 1)) {
      throw new BowlineError(
        "InvalidArgument",
        "A rate limit needs perSecond above 0 and a burst of at least 1.",
      );
    }
    this.#perTokenMs = 1_000 / perSecond;
    this.#savedMs = (burst - 1) * this.#perTokenMs;
  }

  /** How long it is until there is a token; 0 when there is one. Takes nothing. */
  waitMs(nowMs: number): number {
    const waitMs = Math.max(this.#fullAtMs, nowMs) - nowMs - this.#savedMs;
    return waitMs > toleranceMs ? waitMs : 0;
  }

  /** Takes a token if there is one and returns 0; else takes nothing and returns how long it is until there is one. */
  take(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    if (waitMs === 0) this.reserve(nowMs);
    return waitMs;
  }

  /** Takes the next token, whether or not it is there yet, and returns how long to wait for it: turns in order of asking. */
  reserve(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    this.#fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#perTokenMs;
    return waitMs;
  }
}
