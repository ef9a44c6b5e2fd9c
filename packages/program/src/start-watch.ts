/** A program at work takes so much of each second, also where others leave it little; an idle one a tenth of it. */
const busyMicros = 80_000;
const idleMicros = 40_000;
/** A start takes more for a second or two, and some more after that, while everything is read for the first time. */
const startLooks = 5;
const busyStartMicros = 300_000;
const busyLooks = 2;
/** No idle program takes so much of a second: a burst of requests is over before the next look, and should be quick, too. */
const burstMicros = 250_000;
/** Code that ran once is forgotten when several collections in a row have not seen it run again. */
const idleLooks: ReadonlySet<number> = new Set([5, 10, 20]);

export interface StartWatchOptions {
  /** The program is at work; told once. */
  readonly onBusy: () => void;
  /** The start is over, and nobody wants anything yet; told a few times, and not after `onBusy`. */
  readonly onIdle: () => void;
}

/**
 * Finds out when the start of a program is over, by the processor time that it takes from second to second. Once
 * it was busy it is not watched any more.
 */
export class StartWatch {
  readonly #options: StartWatchOptions;
  #isWorking = false;
  #seenMicros: number | undefined;
  #looks = 0;
  #busy = 0;
  #idle = 0;

  constructor(options: StartWatchOptions) {
    this.#options = options;
  }

  /** To be called every second. */
  look({ user, system }: NodeJS.CpuUsage): void {
    if (this.#isWorking) return;
    const used = user + system - (this.#seenMicros ?? user + system);
    const isFirst = this.#seenMicros === undefined;
    this.#seenMicros = user + system;
    if (isFirst) return;
    this.#looks += 1;
    const isStart = this.#looks <= startLooks;
    const isBusy = used >= (isStart ? busyStartMicros : busyMicros);
    this.#busy = isBusy ? this.#busy + 1 : 0;
    // Counted on through moments that are not idle: there are not to be more of them because of those.
    if (used <= idleMicros) this.#idle += 1;
    this.#isWorking = this.#busy === busyLooks || (!isStart && used >= burstMicros);
    if (this.#isWorking) this.#options.onBusy();
    else if (used <= idleMicros && idleLooks.has(this.#idle)) this.#options.onIdle();
  }
}
