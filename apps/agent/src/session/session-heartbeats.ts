import type { Clock } from "@bowline/core";

export interface SessionHeartbeatsOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly send: (sequence: number) => void;
  /** Called once, when three are missing. */
  readonly silent: () => void;
}

const usualHeartbeatMs = 15_000;

/** The range that a server may ask for instead: nothing that keeps both busy, or that would notice nothing for days. */
const heartbeatLimitsMs = { least: 1_000, most: 60_000 };

/** So many intervals without a word, and the other side is gone. */
const maxMissing = 3;

/** Shows the server that the agent is there, measures the way, and notices when the server is gone. */
export class SessionHeartbeats {
  readonly #options: SessionHeartbeatsOptions;
  #cancel: (() => void) | undefined;
  #heardMs: number;
  #sequence = 0;
  #sent: { readonly sequence: number; readonly atMs: number } | undefined;
  #roundTripMs: number | undefined;

  constructor(options: SessionHeartbeatsOptions) {
    this.#options = options;
    this.#heardMs = options.clock.monotonicMs();
    this.#arm();
    this.#beat();
  }

  /** How long the last one took there and back. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /** Anything that comes shows that the server is there. */
  heard(): void {
    this.#heardMs = this.#options.clock.monotonicMs();
  }

  acknowledged(sequence: number): void {
    if (this.#sent?.sequence !== sequence) return;
    this.#roundTripMs = Math.max(0, this.#options.clock.monotonicMs() - this.#sent.atMs);
    this.#sent = undefined;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    const { clock, intervalMs } = this.#options;
    this.#cancel = clock.after(intervalMs, () => this.#tick());
  }

  #tick(): void {
    const { clock, intervalMs, silent } = this.#options;
    this.#cancel = undefined;
    if (clock.monotonicMs() - this.#heardMs >= maxMissing * intervalMs) return silent();
    this.#arm();
    this.#beat();
  }

  #beat(): void {
    this.#sequence = (this.#sequence + 1) >>> 0;
    // One that is under way goes on measuring: how late it is tells more than a new one would.
    this.#sent ??= { sequence: this.#sequence, atMs: this.#options.clock.monotonicMs() };
    this.#options.send(this.#sequence);
  }
}

/** The interval that the server asks for, within limits. */
export function heartbeatIntervalMs(askedMs: number): number {
  const { least, most } = heartbeatLimitsMs;
  return askedMs === 0 ? usualHeartbeatMs : Math.min(Math.max(least, askedMs), most);
}
