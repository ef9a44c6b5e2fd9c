import { BowlineError } from "@bowline/core";

export interface RateLimit {
  readonly requestsPerSecond: number;
  /** How many requests may go at once after a pause. */
  readonly burst: number;
}

/** Hands out permits in the order they are asked for, at a steady rate after a first burst. */
export class TokenBucket {
  readonly #perPermitMs: number;
  readonly #burst: number;
  /** When the next permit is due, had nobody saved any. */
  #nextPermitMs = Number.NEGATIVE_INFINITY;

  constructor({ requestsPerSecond, burst }: RateLimit) {
    if (!(requestsPerSecond > 0) || !(burst >= 1)) {
      throw new BowlineError(
        "InvalidArgument",
        "A rate limit needs requestsPerSecond above 0 and a burst of at least 1.",
      );
    }
    this.#perPermitMs = 1000 / requestsPerSecond;
    this.#burst = burst;
  }

  /** Takes the next permit and says how long to wait for it. A caller that gives up has still used its turn. */
  takeMs(nowMs: number): number {
    const savedFromMs = nowMs - (this.#burst - 1) * this.#perPermitMs;
    const permitMs = Math.max(this.#nextPermitMs, savedFromMs);
    this.#nextPermitMs = permitMs + this.#perPermitMs;
    return Math.max(0, permitMs - nowMs);
  }
}
