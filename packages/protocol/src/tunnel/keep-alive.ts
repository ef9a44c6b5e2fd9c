import type { Clock } from "@bowline/core";

interface KeepAliveOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** So long without a byte, and the peer counts as gone. */
  readonly timeoutMs: number;
  readonly ping: (value: number) => void;
  readonly silent: () => void;
}

/** Enough to see through a burst, few enough to follow a change of route. */
const keptSamples = 8;

/** Sends pings, measures how long they take, and notices a peer that has fallen silent. */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  readonly #samplesMs: number[] = [];
  #value = 0;
  #sentAtMs: number | undefined;
  #heardAtMs: number;
  #cancel: (() => void) | undefined;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
    this.#heardAtMs = options.clock.monotonicMs();
  }

  /** The shortest of the last round trips: the others were queueing somewhere. */
  get roundTripMs(): number | undefined {
    return this.#samplesMs.length === 0 ? undefined : Math.min(...this.#samplesMs);
  }

  start(): void {
    this.#beat();
  }

  heard(): void {
    this.#heardAtMs = this.#options.clock.monotonicMs();
  }

  pong(value: number): void {
    // A peer that answers what was not asked would measure itself faster than it is.
    if (value !== this.#value || this.#sentAtMs === undefined) return;
    this.#samplesMs.push(this.#options.clock.monotonicMs() - this.#sentAtMs);
    if (this.#samplesMs.length > keptSamples) this.#samplesMs.shift();
    this.#sentAtMs = undefined;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #beat(): void {
    const { clock, intervalMs, timeoutMs, ping, silent } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#heardAtMs >= timeoutMs) return silent();
    if (this.#sentAtMs === undefined) {
      this.#value = (this.#value + 1) >>> 0;
      this.#sentAtMs = nowMs;
      ping(this.#value);
    }
    this.#cancel = clock.after(intervalMs, () => this.#beat());
  }
}
