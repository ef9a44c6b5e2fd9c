import type { Change } from "./change.ts";

/** Bounds of what is kept; who is further behind reads the database. */
const maxChanges = 2_048;
const maxSize = 32 * 2 ** 20;

/** The last changes, in order and without a hole, so that many watchers read the database once. */
export class RecentChanges {
  #changes: Change[] = [];
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
    this.#changes = [];
    this.#size = 0;
    this.#start = position;
    this.#position = position;
  }

  append(changes: readonly Change[], position: number): void {
    for (const change of changes) {
      this.#changes.push(change);
      this.#size += change.size;
    }
    this.#position = position;
    this.#drop();
  }

  /** The changes after a position, or undefined when that is not within what is kept. */
  after(position: number): readonly Change[] | undefined {
    if (position < this.#start || position > this.#position) return undefined;
    return this.#changes.slice(this.#indexAfter(position));
  }

  #drop(): void {
    let count = 0;
    while (
      this.#changes.length - count > maxChanges ||
      (this.#size > maxSize && count < this.#changes.length)
    ) {
      const oldest = this.#changes[count];
      this.#size -= oldest?.size ?? 0;
      this.#start = oldest?.revision ?? this.#start;
      count += 1;
    }
    if (count > 0) this.#changes.splice(0, count);
  }

  /** The index of the first change after a position, by halving. */
  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
