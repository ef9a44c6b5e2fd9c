import type { Clock } from "@bowline/core";
import { unionMask, type FieldMask } from "@bowline/kube";

import type { KindWatch, WatchProblem } from "./kind-watch.ts";
import type { KindRef } from "./kube-message.ts";

/** A kind that a consumer wants to be told of, with the fields it needs. */
export interface WantedKind extends KindRef {
  readonly fields: FieldMask;
}

export type WantedKinds = ReadonlyMap<string, WantedKind>;

export interface KindWatchesOptions {
  readonly open: (kind: KindRef, fields: FieldMask) => KindWatch;
  /** A kind that was watched is not served any more, in this version at least. */
  readonly vanished: () => void;
  readonly clock: Clock;
}

interface Running {
  readonly watch: KindWatch;
  /** The consumers that wanted it when it began, and so are told everything from the beginning. */
  readonly consumers: Set<string>;
  readonly startedMs: number;
}

/** Owners that cannot be read soon are not waited for: what they own is read again when they are there. */
const rankLimitMs = 15_000;

/** Kinds of a lower rank are read first, so that owners are known before what they own. */
const ranks: ReadonlyMap<string, number> = new Map([
  ["apps/ReplicaSet", 2],
  ["batch/Job", 2],
  ["/Pod", 3],
]);

const rankOf = (key: string): number => ranks.get(key) ?? 1;

/**
 * One watch for each kind that is wanted, however many want it. One that somebody else wants as well, or of which more
 * is wanted, begins anew: it reads everything again, with all that anybody needs.
 */
export class KindWatches {
  readonly #options: KindWatchesOptions;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #wanted = new Map<string, WantedKinds>();
  readonly #unions = new MaskUnions();

  constructor(options: KindWatchesOptions) {
    this.#options = options;
  }

  get(key: string): KindWatch | undefined {
    return this.#running.get(key)?.watch;
  }

  /** The watch of a kind, if it has told this consumer everything from its beginning. */
  of(consumer: string, key: string): KindWatch | undefined {
    const running = this.#running.get(key);
    return running?.consumers.has(consumer) === true ? running.watch : undefined;
  }

  *all(): Generator<KindWatch> {
    for (const { watch } of this.#running.values()) yield watch;
  }

  /** Every kind that the consumer wants is watched, and has been read as far as it can be. */
  isSettledFor(consumer: string): boolean {
    const wanted = [...(this.#wanted.get(consumer)?.keys() ?? [])];
    return wanted.every((key) => this.of(consumer, key)?.isSettled === true);
  }

  /** Of the kinds that a consumer wants. */
  problems(consumer: string): ReadonlyMap<string, WatchProblem> {
    const found = new Map<string, WatchProblem>();
    for (const key of this.#wanted.get(consumer)?.keys() ?? []) {
      const problem = this.#running.get(key)?.watch.problem;
      if (problem !== undefined) found.set(key, problem);
    }
    return found;
  }

  /**
   * Ends what nobody wants any more and begins what is wanted, owners before what they own. To be called again and
   * again: whether a kind can be watched shows by and by. Returns the kinds that the consumer wants no more.
   */
  want(consumer: string, wanted: WantedKinds): readonly string[] {
    const before = [...(this.#wanted.get(consumer)?.keys() ?? [])];
    const left = before.filter((key) => !wanted.has(key));
    // One who comes back has to be told everything again.
    for (const key of left) this.#running.get(key)?.consumers.delete(consumer);
    this.#wanted.set(consumer, wanted);
    this.#reconcile();
    return left;
  }

  /** The consumer wants nothing any more. */
  leave(consumer: string): void {
    this.#wanted.delete(consumer);
    for (const { consumers } of this.#running.values()) consumers.delete(consumer);
    this.#reconcile();
  }

  async stop(): Promise<void> {
    this.#wanted.clear();
    this.#reconcile();
    await Promise.all(this.#stopping);
  }

  #reconcile(): void {
    const merged = this.#merged();
    for (const { watch } of this.#running.values()) watch.attend();
    for (const [key, running] of this.#running) {
      const want = merged.get(key);
      // The version that was watched may be gone; the next one asks which there is.
      const hasVanished = running.watch.error?.code === "NotFound";
      if (hasVanished) this.#options.vanished();
      if (want === undefined || hasVanished || needsAnew(running, want)) this.#close(key, running.watch);
    }
    const byRank = [...merged].sort(([a], [b]) => rankOf(a) - rankOf(b));
    for (const [key, want] of byRank) {
      if (!this.#running.has(key) && this.#mayBegin(rankOf(key), merged)) this.#open(key, want);
    }
  }

  #merged(): Map<string, MergedWant> {
    const merged = new Map<string, MergedWant>();
    for (const [consumer, wanted] of this.#wanted) {
      for (const [key, kind] of wanted) {
        const { fields, consumers } = merged.get(key) ?? { fields: undefined, consumers: [] };
        const union = fields === undefined ? kind.fields : this.#unions.of(fields, kind.fields);
        merged.set(key, { kind, fields: union, consumers: [...consumers, consumer] });
      }
    }
    return merged;
  }

  #mayBegin(rank: number, merged: ReadonlyMap<string, MergedWant>): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    for (const key of merged.keys()) {
      if (rankOf(key) >= rank) continue;
      const running = this.#running.get(key);
      if (running === undefined) return false;
      if (!running.watch.isSettled && nowMs - running.startedMs < rankLimitMs) return false;
    }
    return true;
  }

  #open(key: string, { kind: { group, kind }, fields, consumers }: MergedWant): void {
    const watch = this.#options.open({ group, kind }, fields);
    const startedMs = this.#options.clock.monotonicMs();
    this.#running.set(key, { watch, consumers: new Set(consumers), startedMs });
  }

  #close(key: string, watch: KindWatch): void {
    this.#running.delete(key);
    const stopped = watch.stop();
    this.#stopping.add(stopped);
    void stopped.then(() => this.#stopping.delete(stopped));
  }
}

interface MergedWant {
  readonly kind: KindRef;
  readonly fields: FieldMask;
  readonly consumers: readonly string[];
}

function needsAnew({ watch, consumers }: Running, want: MergedWant): boolean {
  if (want.consumers.some((consumer) => !consumers.has(consumer))) return true;
  if (watch.fields === want.fields) return false;
  return JSON.stringify(unionMask(watch.fields, want.fields)) !== JSON.stringify(watch.fields);
}

/** The same object for the same masks: they are asked for again and again, and hardly ever change. */
class MaskUnions {
  readonly #known = new WeakMap<FieldMask, WeakMap<FieldMask, FieldMask>>();

  of(one: FieldMask, other: FieldMask): FieldMask {
    const known = this.#known.get(one) ?? new WeakMap<FieldMask, FieldMask>();
    this.#known.set(one, known);
    const union = known.get(other) ?? unionMask(one, other);
    known.set(other, union);
    return union;
  }
}
