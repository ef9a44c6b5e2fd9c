interface Entry<T> {
  readonly dueMs: number;
  /** Parts entries that are due together, so that they leave in the order they came. */
  readonly order: number;
  readonly item: T;
}

/** Items that fall due, the earliest first. */
export class DueHeap<T> {
  readonly #entries: Entry<T>[] = [];
  #order = 0;

  get nextDueMs(): number | undefined {
    return this.#entries[0]?.dueMs;
  }

  push(dueMs: number, item: T): void {
    const entry: Entry<T> = { dueMs, order: this.#order++, item };
    this.#entries.push(entry);
    this.#siftUp(this.#entries.length - 1, entry);
  }

  /** Takes the earliest item that is due at `nowMs`. */
  popDue(nowMs: number): T | undefined {
    const first = this.#entries[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) this.#siftDown(last);
    return first.item;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #siftUp(from: number, entry: Entry<T>): void {
    let at = from;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#entries[parentAt];
      if (parent === undefined || isBefore(parent, entry)) break;
      this.#entries[at] = parent;
      at = parentAt;
    }
    this.#entries[at] = entry;
  }

  #siftDown(entry: Entry<T>): void {
    let at = 0;
    for (;;) {
      const leftAt = 2 * at + 1;
      const left = this.#entries[leftAt];
      const right = this.#entries[leftAt + 1];
      if (left === undefined) break;
      const rightIsFirst = right !== undefined && isBefore(right, left);
      const child = rightIsFirst ? right : left;
      if (isBefore(entry, child)) break;
      this.#entries[at] = child;
      at = rightIsFirst ? leftAt + 1 : leftAt;
    }
    this.#entries[at] = entry;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
