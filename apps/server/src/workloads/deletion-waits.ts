import type { Clock } from "@bowline/core";
import { objectText } from "@bowline/store";
import type { ObjectResult } from "@bowline/workloads";

interface Wait {
  /** The objects that were left, as one text. */
  readonly left: string;
  readonly sinceMs: number;
  /** How often the same were found. */
  readonly looks: number;
}

/** How soon it is looked again: most objects go in a moment, and some hang on a finalizer for days. */
const againMs = { first: 100, last: 30_000 } as const;

/**
 * Which placements wait for objects to be gone, since when, and when to look again, so that no worker is held meanwhile.
 * Reports of the agent lead back sooner. Whatever is lost with the process only makes the wait begin anew.
 */
export class DeletionWaits {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By id of the placement. */
  readonly #waits = new Map<string, Wait>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** How long the objects have been waited for that were left last. */
  waitedMs(id: string): number {
    const wait = this.#waits.get(id);
    return wait === undefined ? 0 : this.#clock.monotonicMs() - wait.sinceMs;
  }

  /** Returns when to look again; undefined when nothing is being deleted. */
  note(id: string, objects: readonly ObjectResult[]): number | undefined {
    const deleting = objects.filter(({ state }) => state === "deleting");
    if (deleting.length === 0) {
      this.forget(id);
      return undefined;
    }
    const left = deleting.map(objectText).toSorted().join();
    const known = this.#waits.get(id);
    const wait =
      known?.left === left
        ? { ...known, looks: known.looks + 1 }
        : { left, sinceMs: this.#clock.monotonicMs(), looks: 0 };
    this.#waits.set(id, wait);
    return Math.min(againMs.first * 2 ** wait.looks, againMs.last);
  }

  forget(id: string): void {
    this.#waits.delete(id);
  }
}
