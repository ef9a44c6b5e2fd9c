import { BowlineError } from "@bowline/core";

import type { ResetReason } from "./reset-reason.ts";

/** A stream that may hold bytes, and can be ended for it. */
export interface Holder {
  readonly heldBytes: number;
  abort(error: BowlineError, reason: ResetReason): void;
}

/**
 * The bytes that wait unread in all streams of a tunnel. The windows add up to more than anybody wants to hold, because
 * hardly ever are all of them full; should it happen, the stream that holds the most has to go, and only that one.
 */
export class HeldBytes {
  readonly #maxBytes: number;
  readonly #holding = new Set<Holder>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many streams hold any. */
  get holders(): number {
    return this.#holding.size;
  }

  changed(holder: Holder, by: number): void {
    this.#bytes += by;
    if (holder.heldBytes > 0) this.#holding.add(holder);
    else this.#holding.delete(holder);
    if (this.#bytes > this.#maxBytes) this.#evict();
  }

  #evict(): void {
    let largest: Holder | undefined;
    for (const holder of this.#holding) {
      if (holder.heldBytes > (largest?.heldBytes ?? 0)) largest = holder;
    }
    largest?.abort(
      new BowlineError("TooManyRequests", "Too much waits to be read, and this stream held the most of it.", {
        details: { maxBufferedBytes: this.#maxBytes },
      }),
      "overloaded",
    );
  }
}
