import type { LogItem } from "./log.ts";

/** Bounds of what is kept; who is further behind reads the database. */
const maxItems = 2_048;
const maxSize = 32 * 2 ** 20;

/** The last items of a log, in order and without a hole, so that many watchers read the database once. */
export class RecentItems<Item extends LogItem> {
  #items: Item[] = [];
  #size = 0;
  /** Everything after this and up to `position` is here. */
  #start = 0;
  #position = 0;

  /** Everything up to here has been read. */
  get position(): number {
    return this.#position;
  }

  /** Forgets everything and goes on from a position. */
  restart(position: number): void {
    this.#items = [];
    this.#size = 0;
    this.#start = position;
    this.#position = position;
  }

  append(items: readonly Item[], position: number): void {
    for (const item of items) {
      this.#items.push(item);
      this.#size += item.size;
    }
    this.#position = position;
    this.#drop();
  }

  /** The items after a position, or undefined when that is not within what is kept. */
  after(position: number): readonly Item[] | undefined {
    if (position < this.#start || position > this.#position) return undefined;
    return this.#items.slice(this.#indexAfter(position));
  }

  #drop(): void {
    let count = 0;
    while (this.#items.length - count > maxItems || (this.#size > maxSize && count < this.#items.length)) {
      const oldest = this.#items[count];
      this.#size -= oldest?.size ?? 0;
      this.#start = oldest?.revision ?? this.#start;
      count += 1;
    }
    if (count > 0) this.#items.splice(0, count);
  }

  /** The index of the first item after a position, by halving. */
  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle]?.revision ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
