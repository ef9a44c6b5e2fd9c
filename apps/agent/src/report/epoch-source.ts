import type { Clock } from "@bowline/core";

/** The clocks of two agents of a cluster may differ; by so much the second tries to be ahead, then by twice as much. */
const firstLeapMs = 60_000;
const longestLeapMs = 30 * 86_400_000;

/**
 * The numbers of epochs: the time at which one begins, in milliseconds. That grows across restarts and from one agent of
 * the cluster to the next, with nothing to keep. The transitions of the Lease would do so only as long as nobody
 * deletes it, and an agent outside of the cluster has none. Where the clock is behind that of the agent before, the
 * server refuses the number, and the next one leaps ahead.
 */
export class EpochSource {
  readonly #clock: Clock;
  #last = 0;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): bigint {
    this.#last = Math.max(this.#clock.now() + this.#aheadMs, this.#last + 1);
    return BigInt(this.#last);
  }

  /** The last number was too low. `wasInUse`: it was not, and the server has lost it since. */
  refused(wasInUse: boolean): void {
    if (wasInUse) return;
    this.#aheadMs = Math.min(Math.max(firstLeapMs, this.#aheadMs * 2), longestLeapMs);
  }
}
