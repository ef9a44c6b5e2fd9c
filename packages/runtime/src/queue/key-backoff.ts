import { backoffDelayMs, type BackoffPolicy, type Random } from "@bowline/core";

/** From half a second to five minutes: 15 attempts take about half an hour. */
export const reconcileBackoff: BackoffPolicy = { baseMs: 500, maxMs: 300_000, factor: 2, jitter: 0.5 };

const defaultCapacity = 200_000;

interface KeyBackoffOptions {
  readonly policy: BackoffPolicy;
  readonly random: Random;
  /** How many keys to remember at most; of more, those that have not failed for longest start from the beginning. */
  readonly capacity?: number;
}

/**
 * Counts the failures in a row of each key, and says how long to wait after each.
 *
 * Keys whose next attempt happens elsewhere are never heard of again, so it forgets by itself: by halves, since what
 * failed recently is in the younger half.
 */
export class KeyBackoff {
  readonly #policy: BackoffPolicy;
  readonly #random: Random;
  readonly #halfCapacity: number;
  #younger = new Map<string, number>();
  #older = new Map<string, number>();

  constructor({ policy, random, capacity = defaultCapacity }: KeyBackoffOptions) {
    this.#policy = policy;
    this.#random = random;
    this.#halfCapacity = Math.max(1, Math.floor(capacity / 2));
  }

  /** How many keys have failed and not succeeded since. */
  get size(): number {
    return this.#younger.size + this.#older.size;
  }

  /** Failures in a row. */
  failures(key: string): number {
    return this.#younger.get(key) ?? this.#older.get(key) ?? 0;
  }

  /** Counts a failure, at least up to `attempt`, and returns how long to wait before the next one. */
  failed(key: string, attempt = 1): number {
    const failures = Math.max(this.failures(key) + 1, attempt);
    this.#older.delete(key);
    this.#younger.set(key, failures);
    if (this.#younger.size >= this.#halfCapacity) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    return backoffDelayMs(failures - 1, this.#policy, this.#random);
  }

  /** The key succeeded, or is given up: the next failure is its first. */
  forget(key: string): void {
    // Most keys never fail, and asking is cheaper than deleting.
    if (this.#younger.size > 0) this.#younger.delete(key);
    if (this.#older.size > 0) this.#older.delete(key);
  }
}
