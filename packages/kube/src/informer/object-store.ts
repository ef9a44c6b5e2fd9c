/** The fields that tell objects and their versions apart, taken before a projection may drop them. */
export interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The keys under which an object is found. Must give the same keys for the same object. */
export type Indexer<T> = (value: T) => readonly string[];

interface Entry<T> {
  value: T;
  uid: string;
  resourceVersion: string;
  /** The sync that last saw it. */
  sync: number;
}

export interface Replaced<T> {
  readonly value: T;
  /** Another object had the name before: it was deleted and made again while nobody looked. */
  readonly otherObject: boolean;
}

/**
 * The objects of one resource. Kept by namespace and then name, because a combined key would be one more string for
 * each of them.
 */
export class ObjectStore<T> {
  readonly #namespaces = new Map<string, Map<string, Entry<T>>>();
  readonly #indexers: ReadonlyMap<string, Indexer<T>>;
  readonly #indexes = new Map<string, Map<string, Set<Entry<T>>>>();
  #size = 0;
  #sync = 0;

  constructor(indexers: Readonly<Record<string, Indexer<T>>> = {}) {
    this.#indexers = new Map(Object.entries(indexers));
    for (const name of this.#indexers.keys()) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name)?.value;
  }

  *values(namespace?: string): Generator<T, void, undefined> {
    const chosen = namespace === undefined ? this.#namespaces.values() : [this.#namespaces.get(namespace)];
    for (const entries of chosen) {
      if (entries === undefined) continue;
      for (const entry of entries.values()) yield entry.value;
    }
  }

  /** `undefined` when there is no such index, which is a mistake of the caller and not an empty answer. */
  byIndex(index: string, key: string): T[] | undefined {
    const keys = this.#indexes.get(index);
    return keys === undefined ? undefined : Array.from(keys.get(key) ?? [], (entry) => entry.value);
  }

  /** From here on everything that exists is written again; what is not is dropped by `sweep`. */
  beginSync(): void {
    this.#sync++;
  }

  /** Whether the store holds this very version already; it then counts as seen. */
  has({ namespace, name, uid, resourceVersion }: ObjectIdentity): boolean {
    const entry = this.#namespaces.get(namespace)?.get(name);
    if (entry?.uid !== uid || entry.resourceVersion !== resourceVersion) return false;
    entry.sync = this.#sync;
    return true;
  }

  /** Returns what it replaces. */
  set({ namespace, name, uid, resourceVersion }: ObjectIdentity, value: T): Replaced<T> | undefined {
    const entries = this.#entriesOf(namespace);
    const entry = entries.get(name);
    if (entry === undefined) {
      const added = { value, uid, resourceVersion, sync: this.#sync };
      entries.set(name, added);
      this.#size++;
      this.#index(added, undefined);
      return undefined;
    }
    const replaced = { value: entry.value, otherObject: entry.uid !== uid };
    Object.assign(entry, { value, uid, resourceVersion, sync: this.#sync });
    this.#index(entry, replaced);
    return replaced;
  }

  /** Returns what was there, wrapped, because a projection may be anything. */
  delete(namespace: string, name: string): { readonly value: T } | undefined {
    const entries = this.#namespaces.get(namespace);
    const entry = entries?.get(name);
    if (entries === undefined || entry === undefined) return undefined;
    entries.delete(name);
    if (entries.size === 0) this.#namespaces.delete(namespace);
    this.#size--;
    this.#unindex(entry);
    return entry;
  }

  /** Drops and returns, one by one, what the sync that now ends has not seen. */
  *sweep(): Generator<T, void, undefined> {
    for (const [namespace, entries] of this.#namespaces) {
      for (const [name, entry] of entries) {
        if (entry.sync === this.#sync) continue;
        this.delete(namespace, name);
        yield entry.value;
      }
    }
  }

  #entriesOf(namespace: string): Map<string, Entry<T>> {
    let entries = this.#namespaces.get(namespace);
    if (entries === undefined) {
      entries = new Map();
      this.#namespaces.set(namespace, entries);
    }
    return entries;
  }

  #index(entry: Entry<T>, before: { readonly value: T } | undefined): void {
    for (const [index, keysOf] of this.#indexers) {
      const keys = this.#indexes.get(index);
      if (keys === undefined) continue;
      if (before !== undefined) removeKeys(keys, keysOf(before.value), entry);
      for (const key of keysOf(entry.value)) {
        const entries = keys.get(key);
        if (entries === undefined) keys.set(key, new Set([entry]));
        else entries.add(entry);
      }
    }
  }

  #unindex(entry: Entry<T>): void {
    for (const [index, keysOf] of this.#indexers) {
      const keys = this.#indexes.get(index);
      if (keys !== undefined) removeKeys(keys, keysOf(entry.value), entry);
    }
  }
}

function removeKeys<T>(keys: Map<string, Set<Entry<T>>>, names: readonly string[], entry: Entry<T>): void {
  for (const name of names) {
    const entries = keys.get(name);
    entries?.delete(entry);
    if (entries?.size === 0) keys.delete(name);
  }
}
