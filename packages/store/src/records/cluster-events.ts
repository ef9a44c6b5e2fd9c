import { hash } from "node:crypto";

import type { EventRecord } from "@bowline/api";

import { selectRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsByKey, run, type Transaction } from "../engine/transaction.ts";
import { logIds, takeNumbers } from "../log/log-state.ts";
import type { EventRow } from "./event-rows.ts";

/** An Event of Kubernetes, as an agent has observed it. */
export interface ClusterEvent extends Pick<EventRecord, "type" | "reason" | "message" | "count"> {
  /** Of the Event; the same one again replaces what is known of it. */
  readonly uid: string;
  readonly clusterId: string;
  readonly regarding: EventRecord["regarding"] & { readonly cluster: string };
  /** The name of the WorkloadInstance that the object belongs to. */
  readonly instance?: string | undefined;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
}

/** The source of events that come from clusters; no part of Bowline is called so. */
export const clusterEventSource = "kubernetes";

/**
 * Adds events of a cluster to those that are told, or replaces what is known of them. One that says nothing new is not
 * told again. Returns how many there is something to tell of.
 *
 * The caller has the locks on the reports of their clusters, so nobody else changes these rows.
 */
export function* storeClusterEvents(
  { engine, newId }: { readonly engine: Engine; readonly newId: () => string },
  events: readonly ClusterEvent[],
): Transaction<number> {
  if (events.length === 0) return 0;
  const keyed = events.map((event) => [foldKey(event), event] as const);
  const keys = [...new Set(keyed.map(([key]) => key))];
  const select = selectRows(
    "events",
    ["fold_key"],
    keys.map((key) => ({ fold_key: key })),
  );
  const known = new Map((yield* rowsByKey(select)).map((row) => [row.fold_key, row]));
  const changed = new Map<string, EventRow>();
  for (const [key, event] of keyed) {
    const before = changed.get(key) ?? known.get(key);
    const row = before === undefined ? newRow(event, key, newId()) : nextRow(before, event);
    if (row !== before) changed.set(key, row);
  }
  if (changed.size === 0) return 0;
  const before = yield* takeNumbers(engine, logIds.events, changed.size);
  const rows = Array.from(changed.values(), (row, index) => ({ ...row, revision: before + index + 1 }));
  yield* run(upsertRows("events", rows));
  return rows.length;
}

/** A hash, as of Bowline's own events: half as long as the two ids, and none that a cluster could choose. */
function foldKey({ clusterId, uid }: ClusterEvent): string {
  return hash("sha256", `cluster ${clusterId} event ${uid}`, "base64url");
}

function newRow(event: ClusterEvent, key: string, id: string): EventRow {
  const { regarding } = event;
  return {
    fold_key: key,
    id,
    type: event.type,
    reason: event.reason,
    message: event.message,
    regarding_kind: regarding.kind,
    regarding_name: regarding.name,
    regarding_id: regarding.id ?? null,
    regarding_cluster: regarding.cluster,
    source: clusterEventSource,
    count: event.count,
    first_seen_at: event.firstSeenAtMs,
    last_seen_at: event.lastSeenAtMs,
    revision: 0,
    regarding_namespace: regarding.namespace ?? null,
    instance: event.instance ?? null,
  };
}

/** The very same row when there is nothing new. The older of two updates changes nothing but when it first happened. */
function nextRow(row: EventRow, event: ClusterEvent): EventRow {
  const isOlder = event.lastSeenAtMs < row.last_seen_at || event.count < row.count;
  const latest = isOlder ? {} : { type: event.type, reason: event.reason, message: event.message };
  const next: EventRow = {
    ...row,
    ...latest,
    count: Math.max(row.count, event.count),
    first_seen_at: Math.min(row.first_seen_at, event.firstSeenAtMs),
    last_seen_at: Math.max(row.last_seen_at, event.lastSeenAtMs),
    instance: event.instance ?? row.instance,
  };
  const names = ["type", "reason", "message", "count", "first_seen_at", "last_seen_at", "instance"] as const;
  return names.every((name) => next[name] === row[name]) ? row : next;
}
