import type { EventFilters, EventRecord } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import type { Failure } from "./failure.ts";
import { useLive, type ListOptions } from "./live-context.tsx";
import { request, RequestFailed } from "./request.ts";
import type { LiveSnapshot } from "./watched-objects.ts";

/** As many events as a page keeps; older ones are the server's to find. */
export const maxEvents = 1_000;

interface EventList {
  readonly metadata: { readonly total: number };
  readonly items: readonly EventRecord[];
}

const byId: ListOptions<EventRecord> = { keyOf: ({ id }) => id, maxItems: maxEvents };

export interface LiveEvents extends LiveSnapshot<EventRecord> {
  /** How many there are on the server; undefined before it was asked. */
  readonly total: number | undefined;
}

/**
 * The newest events that filters leave, and each that happens from then on. A watch of events begins with what happens
 * next, so what was before is listed once the watch runs, and again whenever it had to begin anew: nothing falls
 * between the two, and what is in both is the same event.
 */
export function useEvents(filters: EventFilters, limit: number = maxEvents): LiveEvents {
  const path = eventsPath(filters);
  const live = useLive<EventRecord>(path, byId);
  const { phase } = live;
  const { data, failureReason, refetch } = useQuery({
    queryKey: ["events", path, limit],
    queryFn: ({ signal }) =>
      request<EventList>(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}`, { signal }),
    enabled: false,
    retry: (_, error) => failureOf(error)?.isPassing === true,
  });
  useEffect(() => {
    if (phase === "live") void refetch();
  }, [phase, refetch]);
  return useMemo(() => {
    const refused = failureOf(failureReason);
    const failure = live.failure ?? (refused?.isPassing === true ? undefined : refused);
    return {
      items: failure === undefined ? mergeEvents(data?.items ?? [], live.items.values(), limit) : new Map(),
      phase: failure === undefined && data === undefined ? "connecting" : live.phase,
      failure,
      // What has been read stays while it cannot be read again.
      trouble: live.trouble ?? refused,
      heardAtMs: live.heardAtMs,
      total: data?.metadata.total,
    };
  }, [live, data, failureReason, limit]);
}

function failureOf(error: unknown): Failure | undefined {
  return error instanceof RequestFailed ? error.failure : undefined;
}

/** Events by their id, the newest first and no more than `limit`. Of one that is in both, the one that is further. */
export function mergeEvents(
  listed: Iterable<EventRecord>,
  watched: Iterable<EventRecord>,
  limit: number,
): Map<string, EventRecord> {
  const merged = new Map<string, EventRecord>();
  for (const event of [...listed, ...watched]) {
    const known = merged.get(event.id);
    if (known === undefined || known.lastSeenAt <= event.lastSeenAt) merged.set(event.id, event);
  }
  const newest = [...merged].toSorted(([, a], [, b]) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1));
  return new Map(newest.slice(0, limit));
}

/** In one order, whatever order the filters have: the same question is asked once. */
export function eventsPath(filters: EventFilters): string {
  const entries = Object.entries(filters).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, value]],
  );
  const query = new URLSearchParams(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return entries.length === 0 ? "/api/v1/events" : `/api/v1/events?${query.toString()}`;
}
