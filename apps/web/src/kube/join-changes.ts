import { isRecord } from "@bowline/core";

import { isSame } from "./change-patch.ts";
import { listKey } from "./json-patch.ts";

/** What somebody read, what they made of it, and what somebody else has made of it since. */
interface Sides {
  readonly base: unknown;
  readonly yours: unknown;
  readonly theirs: unknown;
}

/**
 * Theirs, with what you changed on top: where both changed a field, yours stands. Items of lists that have names are
 * joined one by one, so that two containers can be changed by two people.
 */
export function joinChanges({ base, yours, theirs }: Sides): unknown {
  if (isSame(base, yours)) return theirs;
  if (isSame(base, theirs)) return yours;
  if (isRecord(yours) && isRecord(theirs)) return joinObjects(isRecord(base) ? base : {}, yours, theirs);
  if (Array.isArray(base) && Array.isArray(yours) && Array.isArray(theirs)) {
    const key = listKey(base, yours, theirs);
    if (key !== undefined) return joinLists({ base, yours, theirs }, key);
  }
  return yours;
}

type JsonObject = Readonly<Record<string, unknown>>;

function joinObjects(base: JsonObject, yours: JsonObject, theirs: JsonObject): JsonObject {
  const names = new Set([...Object.keys(theirs), ...Object.keys(yours)]);
  const joined = [...names].map((name) => [
    name,
    joinChanges({ base: own(base, name), yours: own(yours, name), theirs: own(theirs, name) }),
  ]);
  return Object.fromEntries(joined.filter(([, value]) => value !== undefined));
}

interface Lists {
  readonly base: readonly unknown[];
  readonly yours: readonly unknown[];
  readonly theirs: readonly unknown[];
}

/** In their order, with what you added at the end. */
function joinLists({ base, yours, theirs }: Lists, key: string): unknown[] {
  const [inBase, inYours, inTheirs] = [base, yours, theirs].map(
    (list) => new Map(list.map((item) => [isRecord(item) ? item[key] : undefined, item])),
  );
  const ids = new Set([...(inTheirs?.keys() ?? []), ...(inYours?.keys() ?? [])]);
  return [...ids]
    .map((id) => joinChanges({ base: inBase?.get(id), yours: inYours?.get(id), theirs: inTheirs?.get(id) }))
    .filter((item) => item !== undefined);
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
