import type { PageClock } from "./page-clock.ts";

export interface GatheringOptions {
  readonly clock: Pick<PageClock, "after">;
  /** Runs a callback before the next picture is drawn. */
  readonly schedule: (callback: () => void) => void;
  /** Told that something has changed, at most once per picture. */
  readonly tell: () => void;
}

/** Above so many changes between two pictures they are gathered for longer: nobody reads that fast. */
const manyChanges = 50;
const gatherMs = 250;

/** Gathers changes until the next picture, or for longer where there are many. */
export class Gathering {
  readonly #options: GatheringOptions;
  #changes = 0;
  #isScheduled = false;
  /** Ends the wait for more changes, while there is one. */
  #cancelWait: (() => void) | undefined;

  constructor(options: GatheringOptions) {
    this.#options = options;
  }

  /** Something has changed, so many times. */
  add(changes = 1): void {
    this.#changes += changes;
    this.#schedule();
  }

  /** Something that is worth a picture of its own comes, or has come. */
  hurry(): void {
    if (this.#cancelWait === undefined) return;
    this.#cancelWait();
    this.#cancelWait = undefined;
    if (this.#changes > 0) this.#schedule();
  }

  /** Nothing is waited for any more; what comes later is told again. */
  close(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#cancelWait !== undefined) return;
    this.#isScheduled = true;
    this.#options.schedule(() => {
      this.#isScheduled = false;
      const { clock, tell } = this.#options;
      if (this.#changes > manyChanges) this.#cancelWait = clock.after(gatherMs, () => this.hurry());
      this.#changes = 0;
      tell();
    });
  }
}
