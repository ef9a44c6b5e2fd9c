import { BowlineError } from "./bowline-error.ts";
import type { Clock } from "./clock.ts";

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

/** Each key that is remembered takes some hundred bytes. */
const defaultMaxKeys = 10_000;

/** A rate for each of many, such as users, addresses or objects. */
export class RateTable {
  readonly #rate: Rate;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #maxKeys: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate, clock: Pick<Clock, "monotonicMs">, maxKeys: number = defaultMaxKeys) {
    this.#rate = rate;
    this.#clock = clock;
    this.#maxKeys = maxKeys;
  }

  /** 0 when one more may come now; else how long it has to wait. */
  take(key: string): number {
    return this.#bucket(key).take(this.#clock.monotonicMs());
  }

  /** Asking moves a key to the end, so the first one was quiet longest: forgotten, it begins with a full burst again. */
  #bucket(key: string): TokenBucket {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#rate);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= this.#maxKeys) return bucket;
    const [quietest] = this.#buckets.keys();
    if (quietest !== undefined) this.#buckets.delete(quietest);
    return bucket;
  }
}

interface GateOptions {
  /** How many may work at once. */
  readonly concurrency: number;
  /** How many may wait for that; more are turned away. */
  readonly maxWaiting: number;
  /** What those are told who are turned away. */
  readonly refusal?: string;
}

const tooManySignIns = "Too many sign-ins are being checked; try again in a moment.";

/** Lets a few work at once, so that a flood of unknown tokens cannot take the database from everybody else. */
export class Gate {
  readonly #options: GateOptions;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** `ServerUnavailable` when too many wait already. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#options.concurrency) this.#working += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  async #turn(): Promise<void> {
    const { maxWaiting, refusal = tooManySignIns } = this.#options;
    if (this.#waiting.length >= maxWaiting) throw new BowlineError("ServerUnavailable", refusal);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }
}
