/**
 * The kubelet's back-off: the first repeat is free, then the wait doubles from `baseMs` to `maxMs`. What went well for
 * twice the longest wait starts anew.
 */
export class RestartBackoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  #delayMs = 0;
  #lastMs = 0;

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /** The wait that counts now. */
  delayMs(nowMs: number): number {
    return nowMs - this.#lastMs > 2 * this.#maxMs ? 0 : this.#delayMs;
  }

  /** Notes a repeat and returns the wait that follows it. */
  next(nowMs: number): number {
    const delayMs = this.delayMs(nowMs);
    this.#delayMs = delayMs === 0 ? this.#baseMs : Math.min(delayMs * 2, this.#maxMs);
    this.#lastMs = nowMs;
    return this.#delayMs;
  }

  reset(): void {
    this.#delayMs = 0;
  }
}
