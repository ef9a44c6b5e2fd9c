import type { EnqueueOptions } from "../controller/controller.ts";
import { keyOf, objectKey, type ObjectLike } from "./object-key.ts";
import { allOf, type Predicate } from "./predicate.ts";

/** A cache that tells about changes, as the informers of `@bowline/kube` do. */
export interface InformerLike<T> {
  /** Calls `add` for all that is there already. */
  addHandler(handler: InformerHandlerLike<T>): { remove(): void };
}

export interface InformerHandlerLike<T> {
  add(object: T): void;
  update(before: T, after: T): void;
  delete(object: T): void;
  /** All that existed has been added. */
  synced(): void;
}

/** An informer whose life a manager looks after. */
export interface ManagedInformer {
  start(): void;
  stop(): Promise<void>;
  /** Resolves when all that existed has been read. */
  synced(signal: AbortSignal): Promise<void>;
}

/**
 * The keys that have to be looked at because of an object. For a change it is asked about the object before and after, so
 * that what an object no longer belongs to is looked at as well.
 */
export type EventHandler<T> = (object: T) => Iterable<string>;

/** The object itself. */
export function enqueueSelf<T extends ObjectLike>(): EventHandler<T> {
  return (object) => [keyOf(object)];
}

interface OwnerKind {
  /** The API group, without version: owners may be written in any version of theirs. Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Owners of this kind have no namespace. */
  readonly clusterScoped?: boolean;
  /** Any owner of that kind, not only the one that controls the object. */
  readonly anyOwner?: boolean;
}

/** The owner of that kind: for a controller that creates objects and wants to know what becomes of them. */
export function enqueueOwner<T extends ObjectLike>(owner: OwnerKind): EventHandler<T> {
  const { group, kind, clusterScoped = false, anyOwner = false } = owner;
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((each) => each.kind === kind && groupOf(each.apiVersion) === group)
      .filter((each) => anyOwner || each.controller === true)
      // An owner lives in the namespace of what it owns, or in none.
      .map(({ name }) => objectKey(clusterScoped ? { name } : { ...metadata, name }));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

export type Enqueue = (key: string, options?: EnqueueOptions) => void;

/** Something that knows when keys have to be looked at. */
export interface EventSource {
  /** Begins to enqueue, all that exists first; returns what ends it. */
  start(enqueue: Enqueue): () => void;
}

/**
 * The objects of an informer as a source. Those that are there at the start go with low priority: after a restart they
 * are thousands, mostly as they should be, and what changes now should not wait for them.
 */
export function informerSource<T>(
  informer: InformerLike<T>,
  handler: EventHandler<T>,
  ...predicates: readonly Predicate<T>[]
): EventSource {
  return {
    start(enqueue) {
      const registration = informer.addHandler(forwarding(enqueue, handler, allOf(...predicates)));
      return () => registration.remove();
    },
  };
}

function forwarding<T>(
  enqueue: Enqueue,
  handler: EventHandler<T>,
  predicate: Predicate<T>,
): InformerHandlerLike<T> {
  let isInitial = true;
  const enqueueAll = (keys: Iterable<string>): void => {
    for (const key of keys) enqueue(key, { priority: isInitial ? "low" : "normal" });
  };
  return {
    add: (object) => {
      if (predicate.create?.(object) !== false) enqueueAll(handler(object));
    },
    update: (before, after) => {
      if (predicate.update?.(before, after) !== false)
        enqueueAll(new Set([...handler(before), ...handler(after)]));
    },
    delete: (object) => {
      if (predicate.delete?.(object) !== false) enqueueAll(handler(object));
    },
    synced: () => {
      isInitial = false;
    },
  };
}
