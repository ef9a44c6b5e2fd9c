/**
 * A bounded table of two generations: when the young one is full it becomes the old one, and only what is asked for
 * again comes over. What is unique passes through without pushing out what repeats.
 */
export class GenerationTable<T> {
  readonly #maxEntries: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** `maxEntries` is that of one generation. */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** What the table has under the key; if that is nothing, `value`, which it has from now on. */
  getOrAdd(key: string, value: T): T {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const kept = this.#old.get(key) ?? value;
    if (this.#young.size >= this.#maxEntries) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, kept);
    return kept;
  }
}
