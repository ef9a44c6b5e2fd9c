import { setImmediate as nextTurn } from "node:timers/promises";

/** Enough to make the turns cheap, few enough for sockets and timers to hardly notice. */
const keysPerTurn = 32;

/**
 * Keeps work that never waits, one settled promise after the other, from having the event loop to itself: sockets and
 * timers would have to wait until there is no more of it.
 */
export class EventLoopShare {
  /** Keys worked on since the event loop last turned. */
  #keys = 0;

  /** Counts a key, and returns what to wait for if it is time to let others have a turn. */
  pause(): Promise<void> | undefined {
    if (this.#keys === 0) {
      setImmediate(() => {
        this.#keys = 0;
      });
    }
    this.#keys += 1;
    return this.#keys < keysPerTurn ? undefined : nextTurn();
  }
}
