import type { Clock } from "./clock.ts";
import { TokenBucket, type Rate } from "./token-bucket.ts";

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
