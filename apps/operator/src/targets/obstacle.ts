import type { FactKind } from "@bowline/monitoring";

import type { WatchedFacts } from "./fact-cache.ts";
import type { Obstacle } from "./target-report.ts";

/** Why these cannot be counted from, with what to do about it; undefined if they can. */
export function obstacleTo(kinds: ReadonlySet<FactKind>, cache: WatchedFacts): Obstacle | undefined {
  const inState = (state: string): string =>
    [...kinds]
      .filter((kind) => cache[kind].state() === state)
      .map((kind) => cache[kind].resource.plural)
      .toSorted()
      .join(", ");
  const forbidden = inState("forbidden");
  if (forbidden !== "") {
    const message = `Targets are not counted: the operator may not list and watch ${forbidden}. Give it the right to, or have it not count with --expected-targets off.`;
    return { reason: "Forbidden", message };
  }
  const unserved = inState("unserved");
  if (unserved === "") return undefined;
  return { reason: "NotServed", message: `Targets are not counted: the cluster does not serve ${unserved}.` };
}
