/** Says that there is none: no next edge, no object, no text. */
export const none = -1;

/** By how much a column grows. It is quickly copied, and what it has too much is there all the time. */
const growth = 1.125;

/**
 * Whole numbers by index, in four bytes each. A graph has hundreds of thousands of nodes and edges, which as objects
 * would take ten times as much and be walked by the garbage collector each time.
 */
export class IntColumn {
  #values: Int32Array;

  constructor(values: Int32Array = new Int32Array(64).fill(none)) {
    this.#values = values;
  }

  /** `none` for what was never set. */
  get(index: number): number {
    return this.#values[index] ?? none;
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) this.#grow(index + 1);
    this.#values[index] = value;
  }

  add(index: number, difference: number): number {
    const value = this.get(index) + difference;
    this.set(index, value);
    return value;
  }

  copy(): IntColumn {
    return new IntColumn(this.#values.slice());
  }

  #grow(length: number): void {
    const grown = new Int32Array(Math.max(length, Math.ceil(this.#values.length * growth)));
    grown.set(this.#values);
    grown.fill(none, this.#values.length);
    this.#values = grown;
  }
}

/** Hands out small numbers, those that were given back first. */
export class IdPool {
  #next: number;
  readonly #free: number[];

  constructor(next = 0, free: readonly number[] = []) {
    this.#next = next;
    this.#free = [...free];
  }

  take(): number {
    return this.#free.pop() ?? this.#next++;
  }

  giveBack(id: number): void {
    this.#free.push(id);
  }

  get inUse(): number {
    return this.#next - this.#free.length;
  }

  copy(): IdPool {
    return new IdPool(this.#next, this.#free);
  }
}
