import { Gate } from "@bowline/core";

import { cancelled } from "../model/git-error.ts";

interface Turn {
  readonly gate: Gate;
  users: number;
}

const maxWaiting = 1_000;

/** One at a time for each key, in the order of asking; different keys do not wait for each other. */
export class Turns {
  readonly #turns = new Map<string, Turn>();

  /** Whether somebody works on the key, or waits to. */
  isBusy(key: string): boolean {
    return this.#turns.has(key);
  }

  /** Whoever gives up while waiting leaves at once, and does nothing when the turn comes. */
  async take<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted === true) throw cancelled(signal);
    const turn = this.#turns.get(key) ?? { gate: newGate(), users: 0 };
    this.#turns.set(key, turn);
    let begun = false;
    const mine = turn.gate.pass(async () => {
      if (signal?.aborted === true) throw cancelled(signal);
      begun = true;
      return work();
    });
    turn.users += 1;
    const leave = (): void => {
      turn.users -= 1;
      if (turn.users === 0) this.#turns.delete(key);
    };
    mine.then(leave, leave);
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    // Work that has begun follows the signal by itself, and cleans up before it ends.
    const onAbort = (): void => {
      if (!begun && signal !== undefined) reject(cancelled(signal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([mine, givenUp]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

function newGate(): Gate {
  return new Gate({
    concurrency: 1,
    maxWaiting,
    refusal: "Too many wait for one repository; try again in a moment.",
  });
}
