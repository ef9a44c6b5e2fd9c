import type { EnqueueOptions } from "../controller/controller.ts";
import type { EventHandler } from "./event-handler.ts";
import type { InformerHandlerLike, InformerLike } from "./informer-like.ts";
import { allOf, type Predicate } from "./predicate.ts";

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
