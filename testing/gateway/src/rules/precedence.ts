import type { DeepReadonly } from "@bowline/core";

import type { HttpRoute } from "../model/gateway-kinds.ts";
import { byAge, nameOf } from "../model/snapshot.ts";
import type { Action, PathMatch } from "./route-rules.ts";

/** One match of one rule at one host of a listener. */
export interface Entry {
  readonly route: DeepReadonly<HttpRoute>;
  readonly host: string | undefined;
  readonly match: PathMatch;
  readonly action: Action;
}

/** An entry that another route has already. */
export interface LostEntry {
  readonly entry: Entry;
  readonly winner: DeepReadonly<HttpRoute>;
}

export interface Settled {
  readonly served: readonly Entry[];
  readonly lost: readonly LostEntry[];
}

/**
 * Settles which entries of a listener are served: of those that match the very same requests, the one of the oldest
 * route, and in one route the first. With `bothLose` none of them, as some implementations in the field have done.
 */
export function settle(entries: readonly Entry[], { bothLose }: { readonly bothLose: boolean }): Settled {
  const groups = Map.groupBy(entries, ({ host, match }) => JSON.stringify([host, match]));
  const served: Entry[] = [];
  const lost: LostEntry[] = [];
  for (const group of groups.values()) {
    const [first, ...others] = group.toSorted((one, other) => byAge(one.route, other.route));
    if (first === undefined) continue;
    const rivals = others.filter(({ route }) => nameOf(route) !== nameOf(first.route));
    lost.push(...rivals.map((entry) => ({ entry, winner: first.route })));
    const [rival] = rivals;
    if (bothLose && rival !== undefined) lost.push({ entry: first, winner: rival.route });
    else served.push(first);
  }
  return { served: served.toSorted(byPrecedence), lost };
}

/** At one host: exact paths, then long prefixes, then those that also name a method, then the oldest route. */
function byPrecedence(one: Entry, other: Entry): number {
  return (
    rank(other.match.type === "Exact") - rank(one.match.type === "Exact") ||
    other.match.value.length - one.match.value.length ||
    rank(other.match.method !== undefined) - rank(one.match.method !== undefined) ||
    byAge(one.route, other.route)
  );
}

function rank(comesFirst: boolean): number {
  return comesFirst ? 1 : 0;
}
