/** A map that forgets what was not used for the longest time when it is full. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxSize: number;
  readonly #onEvict: (value: V) => void;
  /** The entry that was used last is in its place already: to move it each time would make garbage that is collected late. */
  #newest: K | undefined;

  constructor(maxSize: number, onEvict: (value: V) => void = () => {}) {
    this.#maxSize = maxSize;
    this.#onEvict = onEvict;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) this.#place(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#place(key, value);
    if (this.#entries.size <= this.#maxSize) return;
    for (const [oldest, evicted] of this.#entries) {
      this.#entries.delete(oldest);
      this.#onEvict(evicted);
      return;
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  #place(key: K, value: V): void {
    this.#newest = key;
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
