import { pageLimits, type ApiObject, type Kind } from "@bowline/api";
import type { Client, ReadObject, WatchQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { listObjects } from "./find-objects.ts";

export interface ObjectChange<Item extends ApiObject = ApiObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** As it is, or as it was last. */
  readonly object: Item;
}

interface ObjectChanges<Item extends ApiObject> {
  /** The objects that were there at the beginning, all at once; there may be none. */
  readonly isInitial: boolean;
  readonly changes: readonly ObjectChange<Item>[];
}

export interface FollowOptions {
  readonly query?: WatchQuery;
  readonly signal: AbortSignal;
  /** Told when the connection was lost; it is made again without anybody's help. */
  readonly onLost?: (error: Error, retryInMs: number) => void;
}

/**
 * First the objects that there are, then every change. Where the server no longer knows what happened while the
 * connection was lost, both are compared: what was shown and is gone becomes a DELETED.
 */
export async function* followObjects<K extends Kind>(
  client: Client,
  kind: K,
  options: FollowOptions,
): AsyncGenerator<ObjectChanges<ReadObject<K>>, void, undefined> {
  const { query = {}, signal, onLost } = options;
  let known: ReadonlyMap<string, ReadObject<K>> | undefined;
  for (;;) {
    const listed = await listObjects(client, kind, {
      query: { ...query, limit: pageLimits.maximum },
      signal,
    });
    const current = new Map(listed.objects.map(({ object }) => [object.metadata.name, object]));
    yield {
      isInitial: known === undefined,
      changes: differences(known ?? new Map<string, ReadObject<K>>(), current),
    };
    known = current;
    const watch = client.watch(kind, query, {
      since: listed.resourceVersion,
      signal,
      ...(onLost === undefined ? {} : { onLost }),
    });
    try {
      for await (const event of watch) {
        if (event.type === "BOOKMARK") continue;
        remember(current, event);
        yield { isInitial: false, changes: [event] };
      }
      signal.throwIfAborted();
    } catch (thrown) {
      if (!(thrown instanceof BowlineError) || thrown.code !== "Expired") throw thrown;
    }
  }
}

function remember<Item extends ApiObject>(
  known: Map<string, Item>,
  { type, object }: ObjectChange<Item>,
): void {
  if (type === "DELETED") known.delete(object.metadata.name);
  else known.set(object.metadata.name, object);
}

/** The changes that must have happened between two lists. */
function differences<Item extends ApiObject>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
): ObjectChange<Item>[] {
  const gone = [...before.values()].filter(
    ({ metadata }) => after.get(metadata.name)?.metadata.id !== metadata.id,
  );
  const changed = [...after.values()].flatMap((object): ObjectChange<Item>[] => {
    const { name, id, resourceVersion } = object.metadata;
    const last = before.get(name)?.metadata;
    if (last?.id !== id) return [{ type: "ADDED", object }];
    return last.resourceVersion === resourceVersion ? [] : [{ type: "MODIFIED", object }];
  });
  return [...gone.map((object): ObjectChange<Item> => ({ type: "DELETED", object })), ...changed];
}
