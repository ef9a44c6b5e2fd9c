import { isRecord } from "@bowline/core";

import { field, type JsonObject } from "../schema/json-value.ts";
import { unexpectedPatch } from "./patch-error.ts";

type List = readonly unknown[];

interface MergeRule {
  /** The field that tells objects apart; lists of plain values have none. */
  readonly mergeKey: string | undefined;
  readonly mergeItem: (live: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges a list of the patch into the live one. Items of the patch come in its order, the others stay where they were. */
export function mergeLists(live: List, patch: List, { mergeKey, mergeItem }: MergeRule): List {
  if (![...live, ...patch].some(isRecord)) {
    const merged = [...new Set([...live, ...patch])];
    return orderList(merged, patch, { mergeKey: undefined, live });
  }
  if (mergeKey === undefined) throw unexpectedPatch("cannot merge lists without merge key");
  const { kept, plain, replace } = followDirectives(live.map(asObject), patch.map(asObject), mergeKey);
  if (replace) return plain;
  const merged: JsonObject[] = [...kept];
  const places = ranks(kept.map((item) => field(item, mergeKey)));
  for (const item of plain) {
    const key = keyOf(item, mergeKey);
    const place = places.get(key) ?? merged.length;
    const found = merged[place];
    merged[place] = found === undefined ? item : mergeItem(found, item);
    places.set(key, place);
  }
  return orderList(merged, plain, { mergeKey, live: kept });
}

export function deleteScalars(live: List, unwanted: List): List {
  return live.filter((item) => !unwanted.includes(item));
}

/**
 * Puts the items that `order` names into that order. All others keep their places relative to the live list: each
 * goes in before the first named item that followed it there.
 */
export function orderList(
  list: List,
  order: List,
  { mergeKey, live }: { readonly mergeKey: string | undefined; readonly live: List },
): List {
  const identity = (item: unknown): unknown =>
    mergeKey === undefined || !isRecord(item) ? item : field(item, mergeKey);
  const orderOf = ranks(order.map(identity));
  const liveOf = ranks(live.map(identity));
  const byRank = (rank: ReadonlyMap<unknown, number>) => (left: unknown, right: unknown) =>
    (rank.get(identity(left)) ?? Infinity) - (rank.get(identity(right)) ?? Infinity) || 0;
  const named = list.filter((item) => orderOf.has(identity(item))).toSorted(byRank(orderOf));
  const others = list.filter((item) => !orderOf.has(identity(item))).toSorted(byRank(liveOf));
  const result: unknown[] = [];
  let placed = 0;
  for (const item of named) {
    const place = liveOf.get(identity(item)) ?? -1;
    while (placed < others.length && (liveOf.get(identity(others[placed])) ?? Infinity) < place) {
      result.push(others[placed]);
      placed += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(placed)];
}

/** Where each identity stands; the first one counts. */
function ranks(identities: List): Map<unknown, number> {
  return new Map(identities.map((identity, index) => [identity, index] as const).toReversed());
}

interface Directives {
  /** What is left of the live list. */
  readonly kept: readonly JsonObject[];
  /** The items of the patch that are no directives. */
  readonly plain: readonly JsonObject[];
  readonly replace: boolean;
}

function followDirectives(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): Directives {
  let kept = live;
  let replace = false;
  for (const item of patch) {
    const directive = field(item, "$patch");
    if (directive === undefined) continue;
    if (directive === "delete") {
      const key = keyOf(item, mergeKey);
      kept = kept.filter((candidate) => field(candidate, mergeKey) !== key);
    } else if (directive === "replace") {
      replace = true;
    } else {
      throw unexpectedPatch(
        `unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(item)}`,
      );
    }
  }
  return { kept, plain: patch.filter((item) => !Object.hasOwn(item, "$patch")), replace };
}

function keyOf(item: JsonObject, mergeKey: string): unknown {
  const key = field(item, mergeKey);
  if (key !== undefined) return key;
  throw unexpectedPatch(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
}

function asObject(item: unknown): JsonObject {
  if (isRecord(item)) return item;
  throw unexpectedPatch("list element types are not identical");
}
