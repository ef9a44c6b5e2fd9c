import { Backoff, BowlineError, fullJitterBackoff, type Clock, type Random } from "@bowline/core";

export interface FetcherOptions<Target> {
  /** Reads it from the API server once more. Rejects with `NotFound` where it is gone. */
  readonly fetch: (target: Target, signal: AbortSignal) => Promise<void>;
  /** It is gone, and nothing of it can be told any more. */
  readonly lost: (target: Target) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasRoom: () => boolean;
  readonly signal: AbortSignal;
}

const maxAtOnce = 4;

/**
 * Reads objects again of which only the name was kept: because they belong to a Workload since just now, or because
 * there was no room for more. It waits for room, and never gives up but on what is gone.
 */
export class Fetcher<Target> {
  readonly #options: FetcherOptions<Target>;
  readonly #backoff: Backoff;
  readonly #waiting = new Set<Target>();
  readonly #running = new Set<Target>();
  #isPausing = false;

  constructor(options: FetcherOptions<Target>) {
    this.#options = options;
    this.#backoff = new Backoff(fullJitterBackoff, options.clock, options.random);
  }

  /** How many have yet to be read. */
  get size(): number {
    return this.#waiting.size + this.#running.size;
  }

  add(target: Target): void {
    this.#waiting.add(target);
    this.resume();
  }

  delete(target: Target): boolean {
    return this.#waiting.delete(target);
  }

  /** There may be room again. */
  resume(): void {
    const { hasRoom, signal } = this.#options;
    for (const target of this.#waiting) {
      if (this.#running.size >= maxAtOnce || this.#isPausing || signal.aborted || !hasRoom()) return;
      // Of two answers about the same, nobody could tell the later one.
      if (this.#running.has(target)) continue;
      this.#waiting.delete(target);
      this.#running.add(target);
      void this.#run(target);
    }
  }

  async #run(target: Target): Promise<void> {
    const { fetch, lost, signal } = this.#options;
    try {
      await fetch(target, signal);
      this.#backoff.reset();
    } catch (thrown) {
      const { code } = BowlineError.from(thrown);
      if (code === "NotFound" || code === "Forbidden") lost(target);
      else if (!signal.aborted) {
        this.#waiting.add(target);
        void this.#pause();
      }
    } finally {
      this.#running.delete(target);
      this.resume();
    }
  }

  async #pause(): Promise<void> {
    if (this.#isPausing) return;
    this.#isPausing = true;
    const { clock, signal } = this.#options;
    await clock.sleep(this.#backoff.nextDelayMs(), signal).catch(() => {});
    this.#isPausing = false;
    this.resume();
  }
}
