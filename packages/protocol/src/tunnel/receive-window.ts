import { initialWindowBytes } from "./frame.ts";
import type { WindowBudget } from "./tunnel-memory.ts";

/** How much faster than the window allows the reader must seem before the window grows. */
const growthFactor = 4;

/** The tunnel around a window, as far as the window needs it. */
export interface WindowHost {
  readonly budget: WindowBudget;
  readonly maxWindowBytes: number;
  /** The shortest recent round trip; undefined before the first. */
  roundTripMs(): number | undefined;
  nowMs(): number;
}

/**
 * The bytes one stream may still receive. The sender gets back what the reader has taken, in portions of half a window.
 *
 * When a portion is used up within two round trips, the sender spends its time waiting for the window rather than for
 * the network, so the window grows fourfold: from 256 KiB to 16 MiB in three round trips.
 */
export class ReceiveWindow {
  readonly #host: WindowHost;
  #size = initialWindowBytes;
  /** Bytes that the sender may send before it hears of us again. */
  #credit = initialWindowBytes;
  /** Bytes that the reader took since the last grant. */
  #taken = 0;
  #grantedAtMs: number;
  #closed = false;

  constructor(host: WindowHost) {
    this.#host = host;
    this.#grantedAtMs = host.nowMs();
  }

  /** How much may wait unread. */
  get size(): number {
    return this.#size;
  }

  /** Bytes have arrived; false when the sender had no right to send them. */
  arrived(bytes: number): boolean {
    if (bytes > this.#credit) return false;
    this.#credit -= bytes;
    return true;
  }

  /** The reader took bytes. Returns what to grant to the sender now, mostly 0. */
  taken(bytes: number): number {
    // Bytes that are read after the end need no grant, and must not borrow what nobody would give back.
    if (this.#closed) return 0;
    this.#taken += bytes;
    if (this.#taken * 2 < this.#size) return 0;
    const grant = this.#taken + this.#growth();
    this.#taken = 0;
    this.#credit += grant;
    return grant;
  }

  /** The stream is over: what it borrowed is there for others. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#host.budget.giveBack(this.#size - initialWindowBytes);
  }

  #growth(): number {
    const { budget, maxWindowBytes } = this.#host;
    const now = this.#host.nowMs();
    const sinceLastGrantMs = now - this.#grantedAtMs;
    this.#grantedAtMs = now;
    const roundTrip = this.#host.roundTripMs();
    if (roundTrip === undefined || sinceLastGrantMs > 2 * roundTrip) return 0;
    const wanted = Math.min(this.#size * growthFactor, maxWindowBytes) - this.#size;
    const growth = wanted > 0 ? budget.borrow(wanted) : 0;
    this.#size += growth;
    return growth;
  }
}
