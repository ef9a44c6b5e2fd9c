import type { QueueEntry } from "./queue-entry.ts";

/** The keys that wait for a time, the soonest first: a binary heap in which each entry knows its place. */
export class DueHeap {
  readonly #entries: QueueEntry[] = [];

  get length(): number {
    return this.#entries.length;
  }

  get first(): QueueEntry | undefined {
    return this.#entries[0];
  }

  /** Adds an entry, or makes the one that is here due earlier; a later time than it has is ignored. */
  push(entry: QueueEntry, dueMs: number): void {
    if (entry.heapIndex < 0) {
      entry.dueMs = dueMs;
      this.#put(entry, this.#entries.length);
    } else if (dueMs < entry.dueMs) {
      entry.dueMs = dueMs;
    }
    this.#siftUp(entry);
  }

  remove(entry: QueueEntry): void {
    const index = entry.heapIndex;
    const last = this.#entries.pop();
    entry.heapIndex = -1;
    if (last === undefined || last === entry) return;
    this.#put(last, index);
    this.#siftUp(last);
    this.#siftDown(last);
  }

  #siftUp(entry: QueueEntry): void {
    while (entry.heapIndex > 0) {
      const parent = this.#entries[(entry.heapIndex - 1) >> 1];
      if (parent === undefined || parent.dueMs <= entry.dueMs) return;
      this.#swap(entry, parent);
    }
  }

  #siftDown(entry: QueueEntry): void {
    for (;;) {
      const left = this.#entries[2 * entry.heapIndex + 1];
      const right = this.#entries[2 * entry.heapIndex + 2];
      const sooner = right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (sooner === undefined || sooner.dueMs >= entry.dueMs) return;
      this.#swap(entry, sooner);
    }
  }

  #swap(one: QueueEntry, other: QueueEntry): void {
    const index = one.heapIndex;
    this.#put(one, other.heapIndex);
    this.#put(other, index);
  }

  #put(entry: QueueEntry, index: number): void {
    this.#entries[index] = entry;
    entry.heapIndex = index;
  }
}
