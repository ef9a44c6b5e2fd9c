import type { Clock } from "@bowline/core";

import type { LeaseGrant, LeaseStore } from "../controller/held-lease.ts";

interface Held {
  readonly owner: string;
  readonly token: number;
  expiresMs: number;
}

const smallestSweep = 1_024;

/** Leases of one process: for a server with one replica, and for tests. */
export class MemoryLeaseStore implements LeaseStore {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #held = new Map<string, Held>();
  /** One count for all keys, so that nothing has to be kept about a key that nobody holds. */
  #lastToken = 0;
  #sweepAtSize = smallestSweep;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** How many leases are kept, including some that have run out. */
  get size(): number {
    return this.#held.size;
  }

  tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseGrant | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const held = this.#held.get(key);
    if (held !== undefined && held.owner !== owner && held.expiresMs > nowMs)
      return Promise.resolve(undefined);
    this.#lastToken += 1;
    const token = this.#lastToken;
    this.#held.set(key, { owner, token, expiresMs: nowMs + ttlMs });
    this.#sweep(nowMs);
    return Promise.resolve({ token });
  }

  renew(key: string, token: number, ttlMs: number): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    const held = this.#held.get(key);
    if (held?.token !== token || held.expiresMs <= nowMs) return Promise.resolve(false);
    held.expiresMs = nowMs + ttlMs;
    return Promise.resolve(true);
  }

  release(key: string, token: number): Promise<void> {
    if (this.#held.get(key)?.token === token) this.#held.delete(key);
    return Promise.resolve();
  }

  /** Leases that were never released would stay for ever; looking at all when they have doubled costs little per key. */
  #sweep(nowMs: number): void {
    if (this.#held.size < this.#sweepAtSize) return;
    for (const [key, { expiresMs }] of this.#held) if (expiresMs <= nowMs) this.#held.delete(key);
    this.#sweepAtSize = Math.max(smallestSweep, 2 * this.#held.size);
  }
}
