/** A program at work takes so much of each second; an idle one, with a thousand agents, a tenth of it. */
const busyMicros = 300_000;
const idleMicros = 50_000;
/** A start, too, is busy for a second. */
const busyLooks = 2;
const idleLooks = 5;

export interface StartWatchOptions {
  /** The program is at work; told once. */
  readonly onBusy: () => void;
  /** The start is over, and nobody wants anything yet; told once, and not after `onBusy`. */
  readonly onIdle: () => void;
}

/**
 * Finds out when the start of a program is over, by the processor time that it takes from second to second.
 *
 * States:
 * - starting: until some seconds in a row were idle, or busy
 * - resting: it was idle, and has not been busy since
 * - working: it was busy once, and is not watched any more
 */
export class StartWatch {
  readonly #options: StartWatchOptions;
  #state: "starting" | "resting" | "working" = "starting";
  #seenMicros: number | undefined;
  #busy = 0;
  #idle = 0;

  constructor(options: StartWatchOptions) {
    this.#options = options;
  }

  /** To be called every second. */
  look({ user, system }: NodeJS.CpuUsage): void {
    if (this.#state === "working") return;
    const used = user + system - (this.#seenMicros ?? user + system);
    const isFirst = this.#seenMicros === undefined;
    this.#seenMicros = user + system;
    if (isFirst) return;
    this.#busy = used >= busyMicros ? this.#busy + 1 : 0;
    this.#idle = used <= idleMicros ? this.#idle + 1 : 0;
    if (this.#busy === busyLooks) {
      this.#state = "working";
      this.#options.onBusy();
    } else if (this.#state === "starting" && this.#idle === idleLooks) {
      this.#state = "resting";
      this.#options.onIdle();
    }
  }
}
