export interface StringInternerOptions {
  /** Entries of one generation; up to two generations are held. Default 16,384. */
  readonly maxEntries?: number;
  /** Longer strings seldom repeat, and hashing them costs. Default 256. */
  readonly maxLength?: number;
}

/**
 * Gives equal strings one copy. Namespaces, label values, node names and images repeat in thousands of objects, and
 * JSON.parse makes a new string each time.
 *
 * The table is bounded by two generations: when the young one is full it becomes the old one, and only what is asked
 * for again comes over. Strings that are unique pass through without pushing out those that are not.
 */
export class StringInterner {
  readonly #maxEntries: number;
  readonly #maxLength: number;
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  constructor(options: StringInternerOptions = {}) {
    this.#maxEntries = options.maxEntries ?? 16_384;
    this.#maxLength = options.maxLength ?? 256;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  intern(text: string): string {
    if (text.length > this.#maxLength) return text;
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const kept = this.#old.get(text) ?? text;
    if (this.#young.size >= this.#maxEntries) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(kept, kept);
    return kept;
  }
}
