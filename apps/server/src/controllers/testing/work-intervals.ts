/** A stretch of time in which somebody worked on a key. */
interface Interval {
  readonly key: string;
  readonly generation: number;
  readonly worker: string;
  readonly fromMs: number;
  toMs: number;
}

/** Record of who worked on which key, and when: proves afterwards that no two worked on one at the same time. */
export class WorkIntervals {
  /** All who have ever worked. */
  readonly workers = new Set<string>();
  readonly #all: Interval[] = [];
  readonly #open = new Map<string, Interval>();

  get count(): number {
    return this.#all.length;
  }

  begin(worker: string, key: string, generation: number, atMs: number): void {
    const interval = { worker, key, generation, fromMs: atMs, toMs: Infinity };
    this.#all.push(interval);
    this.workers.add(worker);
    this.#open.set(`${worker} ${key}`, interval);
  }

  end(worker: string, key: string, atMs: number): void {
    const interval = this.#open.get(`${worker} ${key}`);
    this.#open.delete(`${worker} ${key}`);
    if (interval !== undefined) interval.toMs = atMs;
  }

  /** The worker was killed: whatever it worked on ended there. */
  endAll(worker: string, atMs: number): void {
    for (const [id, interval] of this.#open) {
      if (interval.worker !== worker) continue;
      interval.toMs = Math.max(atMs, interval.fromMs);
      this.#open.delete(id);
    }
  }

  /** Pairs of intervals of one key that overlap. */
  overlaps(): string[] {
    const byStart = this.#all.toSorted((one, other) => one.fromMs - other.fromMs);
    const lastOf = new Map<string, Interval>();
    const found: string[] = [];
    for (const interval of byStart) {
      const before = lastOf.get(interval.key);
      if (before !== undefined && before.toMs > interval.fromMs) {
        found.push(`${interval.key}: ${JSON.stringify(before)} and ${JSON.stringify(interval)}`);
      }
      if (before === undefined || before.toMs < interval.toMs) lastOf.set(interval.key, interval);
    }
    return found;
  }

  /** The last generation of each key that was worked on to the end. */
  lastGenerations(): Map<string, number> {
    const last = new Map<string, number>();
    for (const { key, generation, toMs } of this.#all) {
      if (toMs !== Infinity) last.set(key, Math.max(last.get(key) ?? 0, generation));
    }
    return last;
  }
}
