import type { QueueEntry } from "./queue-entry.ts";

/**
 * First in, first out, with removal from the middle in constant time. A `Set` would do the same, but finding its first
 * element walks over all that were deleted before it.
 */
export class EntryLine {
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
