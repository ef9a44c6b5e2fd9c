import type { EventRecord } from "@bowline/api";

import type { EventQuery } from "@bowline/store";

/** Which events somebody asked for and may see. */
export type EventFilter = Omit<EventQuery, "limit" | "cursor">;

/** The same that the store's list selects by. */
export function matchesEvent(filter: EventFilter, { type, reason, regarding }: EventRecord): boolean {
  const wanted = (value: string | undefined, actual: string | undefined): boolean =>
    value === undefined || value === actual;
  return (
    wanted(filter.kind, regarding.kind) &&
    wanted(filter.name, regarding.name) &&
    wanted(filter.cluster, regarding.cluster) &&
    wanted(filter.type, type) &&
    wanted(filter.reason, reason) &&
    filter.withoutKinds?.includes(regarding.kind) !== true
  );
}
