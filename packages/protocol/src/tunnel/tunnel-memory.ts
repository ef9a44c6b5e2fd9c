import { BowlineError } from "@bowline/core";

import { defaultTunnelLimits } from "./tunnel-options.ts";
import type { ResetReason } from "./tunnel-stream.ts";

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

/** The bytes that the windows of all streams of a tunnel may grow by, together. */
export class WindowBudget {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Grants at most half of what is free, so that a few early streams cannot leave nothing for those that follow. */
  borrow(bytes: number): number {
    const granted = Math.min(bytes, Math.floor(this.#free / 2));
    this.#free -= granted;
    return granted;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }
}

/**
 * The bytes that may wait unread in streams, and that their windows may grow by. Tunnels to the same place share one,
 * or whoever opens many of them could have as much of it as they like.
 */
export class TunnelMemory {
  readonly held: HeldBytes;
  readonly budget: WindowBudget;

  constructor(maxBufferedBytes: number = defaultTunnelLimits.maxBufferedBytes) {
    this.held = new HeldBytes(maxBufferedBytes);
    this.budget = new WindowBudget(maxBufferedBytes);
  }
}
