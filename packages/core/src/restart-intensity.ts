export interface RestartIntensityOptions {
  /** How many restarts, of all children together, are tolerated … */
  readonly maxRestarts: number;
  /** … within any stretch of time this long. */
  readonly withinMs: number;
}

/** Remembers recent restarts and says whether one more is tolerable. */
export class RestartIntensity {
  readonly #options: RestartIntensityOptions;
  /** Never longer than `maxRestarts`. */
  #recentMs: number[] = [];

  constructor(options: RestartIntensityOptions) {
    this.#options = options;
  }

  /** Counts a restart at `nowMs`, unless it would be one too many. */
  admit(nowMs: number): boolean {
    const { maxRestarts, withinMs } = this.#options;
    this.#recentMs = this.#recentMs.filter((atMs) => nowMs - atMs < withinMs);
    if (this.#recentMs.length >= maxRestarts) return false;
    this.#recentMs.push(nowMs);
    return true;
  }
}
