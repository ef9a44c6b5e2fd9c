import type { Kind } from "@bowline/api";
import type { Client, ListQuery, ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { FoundObject, Resource } from "./resource.ts";

/** Objects that were looked for by name, and what came of the others. */
export interface LookedUp {
  readonly found: readonly FoundObject[];
  readonly missing: readonly BowlineError[];
}

/** Gets objects by name, in the order given; one that is missing does not keep the others back. */
export async function getObjects(
  client: Client,
  resources: readonly Resource[],
  signal: AbortSignal,
): Promise<LookedUp> {
  const found: FoundObject[] = [];
  const missing: BowlineError[] = [];
  for (const { kind, name } of resources) {
    try {
      found.push({ kind, object: await client.get(kind, name, { signal }) });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
      missing.push(thrown);
    }
  }
  return { found, missing };
}

export function isNotFound(thrown: unknown): thrown is BowlineError {
  return thrown instanceof BowlineError && thrown.code === "NotFound";
}

interface ListedObjects<K extends Kind> {
  readonly objects: readonly { readonly kind: K; readonly object: ReadObject<K> }[];
  /** How many there are, which is more than were asked for if there was a limit. */
  readonly total: number;
  /** The revision that the list is as new as. */
  readonly resourceVersion: string;
}

export interface ListOptions {
  readonly query?: ListQuery;
  /** Stop after as many. */
  readonly limit?: number | undefined;
  readonly signal: AbortSignal;
}

/** Every page of a list, up to the limit. */
export async function listObjects<K extends Kind>(
  client: Client,
  kind: K,
  options: ListOptions,
): Promise<ListedObjects<K>> {
  const { limit = Number.POSITIVE_INFINITY, query = {}, signal } = options;
  const objects: { readonly kind: K; readonly object: ReadObject<K> }[] = [];
  let total = 0;
  let resourceVersion = "";
  for await (const { items, metadata } of client.listAll(kind, query, { signal })) {
    for (const object of items) if (objects.length < limit) objects.push({ kind, object });
    if (resourceVersion === "") ({ total, resourceVersion } = metadata);
    if (objects.length >= limit) break;
  }
  return { objects, total: Math.max(total, objects.length), resourceVersion };
}
