import {
  BowlineError,
  systemClock,
  type Clock,
  type DeepReadonly,
  type Random,
  type ResettingBackoffPolicy,
} from "@bowline/core";
import { describeTarget } from "../client/resource-path.ts";
import { defaultFields, type FieldMask } from "../decode/field-mask.ts";
import { ValueInterner } from "../decode/value-interner.ts";
import type { KubeObject, ResourceRef } from "../object.ts";
import type { Transport } from "../transport.ts";
import { HandlerSet, type HandlerRegistration, type InformerHandler } from "./handler-set.ts";
import type { InformerState } from "./informer-state.ts";
import { ObjectStore, type Indexer, type ObjectIdentity } from "./object-store.ts";
import { Reflector, type ReflectorSink, type WatchListMode } from "./reflector.ts";
import type { Selection } from "./stream-list.ts";

export interface InformerOptions<T> extends Selection {
  readonly transport: Transport;
  readonly resource: ResourceRef;
  /** The part of an object to keep; the rest is garbage at once. The result is frozen. See `wholeObject`. */
  readonly project: (object: KubeObject) => T;
  /**
   * The fields to decode at all: what is left out is skipped in the bytes and never becomes an object. Default: all
   * but managedFields and the last-applied annotation. Name, namespace, uid and resourceVersion always come.
   */
  readonly fields?: FieldMask;
  /** Asks the server for metadata only; `fields` then defaults to metadata without managedFields. */
  readonly metadataOnly?: boolean;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  /**
   * Failures of handlers, indexers and projections, and that WatchLists are given up for lists. What else goes wrong
   * with the server is in `state()` instead.
   */
  readonly onError: (error: BowlineError) => void;
  /** Give several informers the same one, and they share what is equal. */
  readonly interner?: ValueInterner;
  readonly watchList?: WatchListMode;
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number;
  /** Default 16 MiB, ten times what etcd takes. */
  readonly maxObjectBytes?: number;
  readonly backoff?: ResettingBackoffPolicy;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A cache of one resource that follows the server, and those who want to know about changes. */
export interface Informer<T> {
  readonly resource: ResourceRef;
  /** Begins to list and watch; once. */
  start(): void;
  /** Ends the watch and closes its socket; resolves when nothing is open any more. */
  stop(): Promise<void>;
  /** Resolves when everything that existed has been read; rejects with `Cancelled` on abort or stop. */
  synced(signal?: AbortSignal): Promise<void>;
  state(): InformerState;
  /** The namespace of a cluster-wide object is empty. */
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): T[];
  byIndex(index: string, key: string): T[];
  addHandler(handler: InformerHandler<T>): HandlerRegistration;
}

export function createInformer<T>(options: InformerOptions<T>): Informer<T> {
  return new CachingInformer(options);
}

/** The projection that keeps all that was decoded. */
export function wholeObject(object: KubeObject): DeepReadonly<KubeObject> {
  return object;
}

const defaultMaxObjectBytes = 16 * 1024 * 1024;

class CachingInformer<T> implements Informer<T>, ReflectorSink {
  readonly resource: ResourceRef;
  readonly #options: InformerOptions<T>;
  readonly #store: ObjectStore<T>;
  readonly #handlers: HandlerSet<T>;
  readonly #reflector: Reflector;
  readonly #interner: ValueInterner;
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    const { metadataOnly = false, interner = new ValueInterner() } = options;
    this.#options = options;
    this.resource = options.resource;
    this.#interner = interner;
    this.#handlers = new HandlerSet((thrown) => this.#report("handler", thrown));
    this.#store = new ObjectStore(this.#guarded(options.indexers ?? {}));
    // Somebody may stop the informer without ever having waited for it.
    this.#synced.promise.catch(() => undefined);
    this.#reflector = new Reflector({
      ...options,
      sink: this,
      metadataOnly,
      fields: options.fields ?? (metadataOnly ? metadataFields : defaultFields),
      watchList: options.watchList ?? "auto",
      pageSize: options.pageSize ?? 500,
      maxObjectBytes: options.maxObjectBytes ?? defaultMaxObjectBytes,
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      onWatchListGivenUp: (error) => this.#tell(error),
    });
  }

  start(): void {
    this.#running ??= this.#reflector.run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    // One that never ran goes to its end at once.
    this.start();
    this.#synced.reject(this.#cancelled());
    await this.#running;
  }

  async synced(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return this.#synced.promise;
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(this.#cancelled());
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#synced.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  state(): InformerState {
    return { ...this.#reflector.state(), objects: this.#store.size };
  }

  get(namespace: string, name: string): T | undefined {
    return this.#store.get(namespace, name);
  }

  list(namespace?: string): T[] {
    return [...this.#store.values(namespace)];
  }

  byIndex(index: string, key: string): T[] {
    const found = this.#store.byIndex(index, key);
    if (found !== undefined) return found;
    throw new BowlineError(
      "InvalidArgument",
      `The informer of ${this.resource.plural} has no index "${index}".`,
    );
  }

  addHandler(handler: InformerHandler<T>): HandlerRegistration {
    return this.#handlers.register(handler, this.#store.values(), this.#reflector.state().synced);
  }

  beginSync(): void {
    this.#store.beginSync();
  }

  upsert(object: KubeObject): void {
    const identity = identityOf(object);
    // The same version again, by a relist or a replay, is no news.
    if (this.#store.has(identity)) return;
    const kept = this.#keep(object);
    if (kept === undefined) return;
    const replaced = this.#store.set(identity, kept.value);
    if (replaced === undefined) {
      this.#handlers.add(kept.value);
    } else if (replaced.otherObject) {
      this.#handlers.replace(replaced.value, kept.value);
    } else {
      this.#handlers.update(replaced.value, kept.value);
    }
  }

  remove(object: KubeObject): void {
    const { namespace, name } = identityOf(object);
    const stored = this.#store.delete(namespace, name);
    if (stored === undefined) return;
    this.#handlers.delete((this.#keep(object) ?? stored).value);
  }

  endSync(): void {
    for (const gone of this.#store.sweep()) this.#handlers.delete(gone);
    this.#handlers.markSynced();
    this.#synced.resolve();
  }

  #keep(object: KubeObject): { readonly value: T } | undefined {
    try {
      return { value: this.#interner.keep(this.#options.project(object)) };
    } catch (thrown) {
      this.#report("projection", thrown);
      return undefined;
    }
  }

  #guarded(indexers: Readonly<Record<string, Indexer<T>>>): Record<string, Indexer<T>> {
    const guarded = Object.entries(indexers).map(([name, keysOf]): [string, Indexer<T>] => [
      name,
      (value) => {
        try {
          return keysOf(value);
        } catch (thrown) {
          this.#report(`indexer "${name}"`, thrown);
          return [];
        }
      },
    ]);
    return Object.fromEntries(guarded);
  }

  #report(what: string, cause: unknown): void {
    const said = cause instanceof Error ? cause.message : String(cause);
    const subject = describeTarget(this.resource, { namespace: this.#options.namespace });
    const message = `A ${what} of the informer of ${subject} failed: ${said}`;
    this.#tell(new BowlineError("Internal", message, { cause }));
  }

  #tell(error: BowlineError): void {
    try {
      this.#options.onError(error);
    } catch {
      // A reporter that fails has nobody to report to, and must not stop the cache.
    }
  }

  #cancelled(): BowlineError {
    return new BowlineError(
      "Cancelled",
      `Stopped before the informer of ${this.resource.plural} had synced.`,
    );
  }
}

const metadataFields: FieldMask = { metadata: defaultFields["metadata"] ?? true };

function identityOf(object: KubeObject): ObjectIdentity {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = object.metadata;
  return { namespace, name, uid, resourceVersion };
}
