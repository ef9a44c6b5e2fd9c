import type { EventSubject } from "@bowline/kube";
import { formatRef, refOf } from "@bowline/monitoring";

import type { SelectedObject } from "../watch/cached-object.ts";
import type { FindSubject } from "./agent-events.ts";

/** Looks objects up by what a status calls them. */
export function findSubject(objects: readonly SelectedObject[]): FindSubject {
  let byName: Map<string, EventSubject> | undefined;
  return (name) => {
    // Mostly nobody asks.
    byName ??= new Map(objects.map((object) => [formatRef(refOf(object)), object]));
    return byName.get(name);
  };
}
