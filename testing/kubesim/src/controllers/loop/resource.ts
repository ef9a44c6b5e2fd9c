import type { NewObject, SimApi, SimDeleteOptions, SimEvent, SimObject } from "../../store/sim-api.ts";

/** A change of one object, with the kind's type. */
export interface Change<T extends SimObject> {
  readonly type: SimEvent["type"];
  readonly object: T;
  readonly previous?: T;
}

/** `namespace/name`, or the name alone where the kind has no namespaces. */
export function keyOf(object: SimObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/**
 * One kind in the store, with its type, its indexes and its changes. The store keeps only objects that fit their kind,
 * so the name of a resource vouches for the type of what it gives; this is the one place that relies on it. Indexes are up to date before listeners hear of a
 * change. Listeners only queue keys; they must not write.
 */
export class Resource<T extends SimObject> {
  readonly name: string;
  readonly #api: SimApi;
  readonly #indexes: Index<T>[] = [];
  readonly #listeners: ((change: Change<T>) => void)[] = [];
  #unsubscribe: (() => void) | undefined;

  constructor(api: SimApi, name: string) {
    this.name = name;
    this.#api = api;
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#api.get(this.name, namespace, name) as T | undefined;
  }

  /** Reads by what `keyOf` gave. */
  byKey(key: string): T | undefined {
    const slash = key.indexOf("/");
    return slash === -1 ? this.get(undefined, key) : this.get(key.slice(0, slash), key.slice(slash + 1));
  }

  list(namespace?: string): Iterable<T> {
    return this.#api.list(this.name, namespace) as Iterable<T>;
  }

  create(object: NewObject): T {
    return this.#api.create(this.name, object) as T;
  }

  update(object: T): T {
    return this.#api.update(this.name, object) as T;
  }

  updateStatus(object: T): T {
    return this.#api.updateStatus(this.name, object) as T;
  }

  /** Deletes this very object, never another that took its name. */
  delete(object: T, options: SimDeleteOptions = {}): void {
    const { namespace, name, uid } = object.metadata;
    this.#api.delete(this.name, namespace, name, { ...options, uid });
  }

  /** Finds objects by keys computed from them; an object may have several keys or none. */
  index(keysOf: (object: T) => readonly string[]): Index<T> {
    this.#subscribe();
    const index = new Index(keysOf);
    for (const object of this.list()) index.put(object);
    this.#indexes.push(index);
    return index;
  }

  onChange(listener: (change: Change<T>) => void): void {
    this.#subscribe();
    this.#listeners.push(listener);
  }

  close(): void {
    this.#unsubscribe?.();
    this.#listeners.length = 0;
    this.#indexes.length = 0;
  }

  /** Only where somebody listens: there are many more changes than readers of some kinds. */
  #subscribe(): void {
    this.#unsubscribe ??= this.#api.subscribe(this.name, (event) => this.#dispatch(event));
  }

  #dispatch({ type, object, previous }: SimEvent): void {
    const change: Change<T> = {
      type,
      object: object as T,
      ...(previous === undefined ? {} : { previous: previous as T }),
    };
    for (const index of this.#indexes) index.apply(change);
    for (const listener of this.#listeners) listener(change);
  }
}

/** Objects of one kind by a computed key, in the order they came to have it. */
export class Index<T extends SimObject> {
  readonly #keysOf: (object: T) => readonly string[];
  readonly #byKey = new Map<string, Map<string, T>>();

  constructor(keysOf: (object: T) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  get(key: string): T[] {
    const found = this.#byKey.get(key);
    return found === undefined ? [] : [...found.values()];
  }

  count(key: string): number {
    return this.#byKey.get(key)?.size ?? 0;
  }

  put(object: T): void {
    for (const key of this.#keysOf(object)) {
      const found = this.#byKey.get(key);
      if (found === undefined) this.#byKey.set(key, new Map([[object.metadata.uid, object]]));
      else found.set(object.metadata.uid, object);
    }
  }

  apply(change: Change<T>): void {
    const stale = change.previous ?? (change.type === "DELETED" ? change.object : undefined);
    if (change.type === "DELETED") {
      if (stale !== undefined) this.#remove(stale, []);
      return;
    }
    if (stale !== undefined) this.#remove(stale, this.#keysOf(change.object));
    this.put(change.object);
  }

  #remove(object: T, except: readonly string[]): void {
    for (const key of this.#keysOf(object)) {
      if (except.includes(key)) continue;
      const found = this.#byKey.get(key);
      found?.delete(object.metadata.uid);
      if (found?.size === 0) this.#byKey.delete(key);
    }
  }
}
