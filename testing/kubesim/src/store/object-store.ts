import { ResourceTable } from "./resource-table.ts";
import type { SimEvent, SimObject } from "./sim-api.ts";

type Listener = (event: SimEvent) => void;

/** A change as it left the store, with the table it happened in. */
export interface StoreChange {
  readonly table: string;
  readonly event: SimEvent;
}

/**
 * What etcd is to the real server: tables of objects under one counter of revisions. It stamps resourceVersion and
 * tells its listeners, and knows no rules of Kubernetes.
 */
export class ObjectStore {
  readonly #tables = new Map<string, ResourceTable>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #everythingListeners = new Set<(change: StoreChange) => void>();
  readonly #historyLimit: number;
  #undelivered: StoreChange[] = [];
  #delivering = false;
  #revision = 1;
  #deliveredRevision = 1;

  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Every change up to this revision has reached all listeners. */
  get deliveredRevision(): number {
    return this.#deliveredRevision;
  }

  table(key: string): ResourceTable {
    let table = this.#tables.get(key);
    if (!table) {
      table = new ResourceTable(this.#historyLimit, 0);
      this.#tables.set(key, table);
    }
    return table;
  }

  /** Stores an object under the next revision. */
  put(key: string, object: SimObject): SimObject {
    const table = this.table(key);
    const previous = table.get(object.metadata.namespace, object.metadata.name);
    const stored = this.#stamp(object);
    const event: SimEvent = previous
      ? { type: "MODIFIED", object: stored, previous, revision: this.#revision }
      : { type: "ADDED", object: stored, revision: this.#revision };
    this.#commit(key, event);
    return stored;
  }

  /** Removes an object. `last` is what the DELETED event shows; it carries the revision of the removal. */
  remove(key: string, last: SimObject): SimObject {
    const previous = this.table(key).get(last.metadata.namespace, last.metadata.name) ?? last;
    const object = this.#stamp(last);
    this.#commit(key, { type: "DELETED", object, previous, revision: this.#revision });
    return object;
  }

  subscribe(key: string, listener: Listener): () => void {
    let listeners = this.#listeners.get(key);
    if (!listeners) {
      listeners = new Set();
      this.#listeners.set(key, listeners);
    }
    // A wrapper of its own lets the same function subscribe twice.
    const own: Listener = (event) => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  subscribeAll(listener: (change: StoreChange) => void): () => void {
    this.#everythingListeners.add(listener);
    return () => void this.#everythingListeners.delete(listener);
  }

  /** Forgets the past: older revisions answer 410 from now on. */
  compact(revision = this.#revision): void {
    for (const table of this.#tables.values()) table.compact(revision);
  }

  #stamp(object: SimObject): SimObject {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #commit(key: string, event: SimEvent): void {
    this.table(key).record(event);
    this.#undelivered.push({ table: key, event });
    // A listener that writes must not make others see the second change before the first.
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#undelivered.shift(); next; next = this.#undelivered.shift()) this.#deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  #deliver(change: StoreChange): void {
    for (const listener of this.#everythingListeners) callSafely(listener, change);
    for (const listener of this.#listeners.get(change.table) ?? []) callSafely(listener, change.event);
    this.#deliveredRevision = change.event.revision;
  }
}

/** A listener that throws is a bug of its own: it surfaces as uncaught instead of failing somebody else's write. */
function callSafely<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
