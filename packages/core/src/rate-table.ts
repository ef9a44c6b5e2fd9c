import type { Clock } from "./clock.ts";

import { TokenBucket, type Rate } from "./token-bucket.ts";

/** Each takes some hundred bytes. */
const maxBuckets = 10_000;

/** A rate for each of many, such as users or addresses. */
export class RateTable {
  readonly #rate: Rate;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate, clock: Pick<Clock, "monotonicMs">) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** 0 when one more may come now; else how long it has to wait. */
  take(key: string): number {
    return this.#bucket(key).take(this.#clock.monotonicMs());
  }

  #bucket(key: string): TokenBucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    // Who is forgotten begins with a full burst again, which is better than a table that grows.
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= maxBuckets && oldest !== undefined) this.#buckets.delete(oldest);
    const bucket = new TokenBucket(this.#rate);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
