/** `high` is for people who wait, `low` for work that only has to happen at some time, such as a resync. */
export type Priority = "high" | "normal" | "low";

/** From the one served first to the one served last. */
export const priorities: readonly Priority[] = ["high", "normal", "low"];

/** 0 for the highest. */
const ranks: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

export function higherOf(one: Priority, other: Priority): Priority {
  return ranks[one] <= ranks[other] ? one : other;
}

/**
 * How often in a row a level may be passed over while it has keys waiting. Then its first key goes next, before all
 * that is higher, so nothing waits forever: a low key that is first in its level waits for at most 16 others, a normal
 * one for at most 5. While nobody's patience has ended, the highest level goes first; `high` needs no patience, since
 * only a level whose patience has ended ever goes before it.
 */
export const patience: Readonly<Record<Priority, number>> = { high: Infinity, normal: 4, low: 16 };

/** All the queue knows about one key. */
export interface QueueEntry {
  readonly key: string;
  priority: Priority;
  /** Somebody works on it. */
  isActive: boolean;
  activeSinceMs: number;
  /** It is to be worked on now: it stands in line or, while active, follows as soon as that is done. */
  isReady: boolean;
  readySinceMs: number;
  /** When it becomes ready; means something only while it is in the heap. */
  dueMs: number;
  /** Its place in the heap of those that wait for a time; -1 when it is not there. */
  heapIndex: number;
  /** Its neighbours in line. */
  previous: QueueEntry | undefined;
  next: QueueEntry | undefined;
}

export function newQueueEntry(key: string): QueueEntry {
  return {
    key,
    priority: "low",
    isActive: false,
    activeSinceMs: 0,
    isReady: false,
    readySinceMs: 0,
    dueMs: 0,
    heapIndex: -1,
    previous: undefined,
    next: undefined,
  };
}

/**
 * First in, first out, with removal from the middle in constant time. A `Set` would do the same, but finding its first
 * element walks over all that were deleted before it.
 */
export class EntryList {
  #first: QueueEntry | undefined;
  #last: QueueEntry | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): QueueEntry | undefined {
    return this.#first;
  }

  push(entry: QueueEntry): void {
    entry.previous = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#length += 1;
  }

  /** Only for an entry that stands in this line. */
  remove(entry: QueueEntry): void {
    if (entry.previous === undefined) this.#first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.#last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
    this.#length -= 1;
  }
}
