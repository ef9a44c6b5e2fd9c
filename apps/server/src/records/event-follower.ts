import { hasCode, type Clock } from "@bowline/core";

import type { EventLog, ToldBatch, ToldEvent } from "@bowline/store";
import type { LogFollower } from "../watch/stream/watch-view.ts";

export interface EventFollowerOptions {
  readonly events: Pick<EventLog, "read" | "onRecord">;
  readonly clock: Pick<Clock, "after">;
  /** How often to look for what other replicas tell. What this process tells is noticed at once. */
  readonly pollMs: number;
}

/** What is told from a position on, until the signal aborts. */
export function followEvents(
  options: EventFollowerOptions,
  after: number,
  signal: AbortSignal,
): LogFollower<ToldEvent> {
  const state = { position: after };
  return {
    get position() {
      return state.position;
    },
    [Symbol.asyncIterator]: () => follow(options, state, signal),
  };
}

async function* follow(
  { events, clock, pollMs }: EventFollowerOptions,
  state: { position: number },
  signal: AbortSignal,
): AsyncGenerator<readonly ToldEvent[]> {
  const bell = new Bell();
  const stopListening = events.onRecord(bell.ring);
  signal.addEventListener("abort", bell.ring);
  try {
    while (!signal.aborted) {
      bell.reset();
      const batch = await readNext(events, state.position);
      const position = Number(batch?.resourceVersion ?? state.position);
      if (position === state.position) {
        const cancel = clock.after(pollMs, bell.ring);
        await bell.rung;
        cancel();
        continue;
      }
      state.position = position;
      if (batch !== undefined && batch.events.length > 0) yield batch.events;
    }
  } finally {
    signal.removeEventListener("abort", bell.ring);
    stopListening();
  }
}

/** A database that cannot be reached is asked again at the next interval. */
async function readNext(events: Pick<EventLog, "read">, after: number): Promise<ToldBatch | undefined> {
  try {
    return await events.read({ after: String(after) });
  } catch (error) {
    if (hasCode(error, "DatabaseUnavailable")) return undefined;
    throw error;
  }
}

/** Something to wait for that may happen before anybody waits. */
class Bell {
  #rung = Promise.withResolvers<void>();

  get rung(): Promise<void> {
    return this.#rung.promise;
  }

  reset(): void {
    this.#rung = Promise.withResolvers();
  }

  readonly ring = (): void => {
    this.#rung.resolve();
  };
}
