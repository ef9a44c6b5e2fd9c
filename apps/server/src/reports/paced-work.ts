import {
  backoffDelayMs,
  BowlineError,
  Gate,
  type BackoffPolicy,
  type Clock,
  type Random,
} from "@bowline/core";

export interface PacedWorkOptions {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly random: Random;
  /** Resolves to how long it is until the key should be looked at again by itself; undefined for never. */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly onError: (error: BowlineError, key: string) => void;
}

/** The least time between the beginnings of two turns of one key. */
const intervalMs = 250;
/** The share of the time that one key may take: after a turn that took long, the next comes later. */
const maxShare = 0.1;
/** But no later than this: a turn takes long on a busy machine too, and somebody waits to see how things are. */
const maxPauseMs = 1_000;
const concurrency = 4;
const retry: BackoffPolicy = { baseMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.5 };

interface Entry {
  /** Something has changed since the last turn began. */
  isDirty: boolean;
  isRunning: boolean;
  failures: number;
  /** Not before this time, however much changes. */
  restUntilMs: number;
  timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;
}

/**
 * Work that is to be done again whenever something changes: for each key at once the first time, then at most every 250
 * ms, never twice at the same time, and in the end always after the last change. A turn that fails comes again.
 */
export class PacedWork {
  readonly #options: PacedWorkOptions;
  readonly #gate = new Gate({ concurrency, maxWaiting: Number.POSITIVE_INFINITY });
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: PacedWorkOptions) {
    this.#options = options;
  }

  /** The key has to be looked at. */
  touch(key: string): void {
    this.#wake(this.#entry(key), key, 0);
  }

  /** The key has to be looked at after a while, unless it has an earlier turn. */
  touchAfter(key: string, delayMs: number): void {
    this.#wake(this.#entry(key), key, delayMs);
  }

  /** Waits for turns under way; there are no others. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#entries.values()) timer?.cancel();
    this.#entries.clear();
    await Promise.all(this.#underWay);
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry = { isDirty: false, isRunning: false, failures: 0, restUntilMs: 0, timer: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  #wake(entry: Entry, key: string, delayMs: number): void {
    if (this.#isClosed) return;
    if (entry.isRunning && delayMs === 0) entry.isDirty = true;
    if (entry.isRunning && delayMs === 0) return;
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = Math.max(entry.restUntilMs, nowMs + delayMs);
    if (entry.timer !== undefined && entry.timer.dueMs <= dueMs) return;
    entry.timer?.cancel();
    entry.timer = undefined;
    if (dueMs <= nowMs) return this.#begin(entry, key);
    const cancel = this.#options.clock.after(dueMs - nowMs, () => {
      entry.timer = undefined;
      if (entry.isRunning) entry.isDirty = true;
      else this.#begin(entry, key);
    });
    entry.timer = { dueMs, cancel };
  }

  #begin(entry: Entry, key: string): void {
    entry.isRunning = true;
    const running = this.#gate
      .pass(() => this.#run(entry, key))
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  async #run(entry: Entry, key: string): Promise<void> {
    if (this.#isClosed) return;
    const { clock, random, work, onError } = this.#options;
    const startMs = clock.monotonicMs();
    entry.isDirty = false;
    let againMs: number | undefined;
    try {
      againMs = await work(key);
      entry.failures = 0;
    } catch (thrown) {
      onError(BowlineError.from(thrown), key);
      againMs = backoffDelayMs(entry.failures, retry, random);
      entry.failures += 1;
    }
    const endMs = clock.monotonicMs();
    const restMs = Math.max(intervalMs, (endMs - startMs) / maxShare);
    entry.restUntilMs = Math.min(startMs + restMs, endMs + maxPauseMs);
    entry.isRunning = false;
    if (entry.isDirty) this.#wake(entry, key, 0);
    if (againMs !== undefined) this.#wake(entry, key, againMs);
    if (entry.timer === undefined && !entry.isRunning) this.#rest(entry, key);
  }

  /** An entry is kept for as long as it has to rest, and not longer: keys come and go. */
  #rest(entry: Entry, key: string): void {
    const { clock } = this.#options;
    const restMs = entry.restUntilMs - clock.monotonicMs();
    if (restMs <= 0) {
      this.#entries.delete(key);
      return;
    }
    const cancel = clock.after(restMs, () => {
      entry.timer = undefined;
      if (!entry.isRunning) this.#entries.delete(key);
    });
    // Far away, so that whatever has to be done comes before.
    entry.timer = { dueMs: Number.POSITIVE_INFINITY, cancel };
  }
}
