import type { Clock } from "@bowline/core";

import type { KindWatch, WatchProblem } from "./kind-watch.ts";
import { kindKey, type KindRef } from "./watched-workload.ts";
import type { WantedKind } from "./wanted-kinds.ts";

export interface KindWatchesOptions {
  readonly open: (kind: KindRef, isNamed: boolean) => KindWatch;
  /** It is not watched any more. */
  readonly closed: (key: string) => void;
  readonly clock: Clock;
}

interface Running {
  readonly watch: KindWatch;
  readonly rank: number;
  readonly startedMs: number;
}

/** Owners that cannot be read soon are not waited for: what they own is read again when they are there. */
const rankLimitMs = 15_000;

/** One watch for each kind that is wanted, however many want it. */
export class KindWatches {
  readonly #options: KindWatchesOptions;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new Set<Promise<void>>();
  #wanted: ReadonlyMap<string, WantedKind> = new Map();

  constructor(options: KindWatchesOptions) {
    this.#options = options;
  }

  get(key: string): KindWatch | undefined {
    return this.#running.get(key)?.watch;
  }

  *all(): Generator<KindWatch> {
    for (const { watch } of this.#running.values()) yield watch;
  }

  /** Every wanted kind is watched, and has been read as far as it can be. */
  get isSettled(): boolean {
    const { size } = this.#running;
    return size === this.#wanted.size && [...this.#running.values()].every(({ watch }) => watch.isSettled);
  }

  problems(): ReadonlyMap<string, WatchProblem> {
    const found = [...this.#running].flatMap(([key, { watch }]) =>
      watch.problem === undefined ? [] : [[key, watch.problem] as const],
    );
    return new Map(found);
  }

  /** Ends what is not wanted any more and begins what is, owners before what they own. */
  want(wanted: ReadonlyMap<string, WantedKind>): void {
    this.#wanted = wanted;
    for (const [key, { watch }] of this.#running) {
      const kind = wanted.get(key);
      if (kind === undefined) this.#close(key, watch, false);
      // More has to be read of objects that a Workload names itself.
      else if (kind.named > 0 && !watch.isNamed) this.#close(key, watch, true);
      // The version that was watched may be gone; the next one asks which there is.
      else if (watch.error?.code === "NotFound") this.#close(key, watch, true);
    }
    for (const kind of [...wanted.values()].sort((a, b) => a.rank - b.rank)) {
      if (!this.#running.has(kindKey(kind)) && this.#mayBegin(kind)) this.#open(kind);
    }
  }

  async stop(): Promise<void> {
    for (const [key, { watch }] of this.#running) this.#close(key, watch, true);
    await Promise.all(this.#stopping);
  }

  #mayBegin({ rank }: WantedKind): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [key, kind] of this.#wanted) {
      if (kind.rank >= rank) continue;
      const running = this.#running.get(key);
      if (running === undefined) return false;
      if (!running.watch.isSettled && nowMs - running.startedMs < rankLimitMs) return false;
    }
    return true;
  }

  #open({ group, kind, named, rank }: WantedKind): void {
    const watch = this.#options.open({ group, kind }, named > 0);
    this.#running.set(watch.key, { watch, rank, startedMs: this.#options.clock.monotonicMs() });
  }

  #close(key: string, watch: KindWatch, isReplaced: boolean): void {
    this.#running.delete(key);
    const stopped = watch.stop();
    this.#stopping.add(stopped);
    void stopped.then(() => this.#stopping.delete(stopped));
    if (!isReplaced) this.#options.closed(key);
  }
}
