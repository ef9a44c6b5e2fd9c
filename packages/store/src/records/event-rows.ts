import { createHash } from "node:crypto";

import type { EventRecord } from "@bowline/api";

import type { RowOf } from "../engine/tables.ts";

export type NewEvent = Pick<EventRecord, "type" | "reason" | "message" | "regarding" | "source" | "instance">;

export type EventRow = RowOf<"events">;

/** Rows to be added to what is there; events that fold into each other are one row already. */
export function foldEvents(events: readonly NewEvent[], newId: () => string, nowMs: number): EventRow[] {
  const rows = new Map<string, EventRow>();
  for (const told of events) {
    const event = { ...told, message: storable(told.message) };
    const key = foldKey(event);
    const known = rows.get(key);
    if (known === undefined) rows.set(key, rowOf(event, key, newId(), nowMs));
    else known.count += 1;
  }
  return [...rows.values()];
}

/** Messages repeat what clusters and name servers have said; PostgreSQL takes no text with NUL. */
function storable(message: string): string {
  return message.replaceAll("\0", "\uFFFD").toWellFormed();
}

function foldKey({ type, reason, message, regarding, source, instance }: NewEvent): string {
  const { kind, name, id, cluster, namespace } = regarding;
  const parts = [type, reason, message, source, kind, name, id ?? null, cluster ?? null];
  if (namespace !== undefined || instance !== undefined) parts.push(namespace ?? null, instance ?? null);
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function rowOf(event: NewEvent, key: string, id: string, nowMs: number): EventRow {
  const { type, reason, message, regarding, source, instance } = event;
  return {
    fold_key: key,
    id,
    type,
    reason,
    message,
    regarding_kind: regarding.kind,
    regarding_name: regarding.name,
    regarding_id: regarding.id ?? null,
    regarding_cluster: regarding.cluster ?? null,
    source,
    count: 1,
    first_seen_at: nowMs,
    last_seen_at: nowMs,
    revision: 0,
    regarding_namespace: regarding.namespace ?? null,
    instance: instance ?? null,
  };
}

export function eventRecordOf(row: EventRow): EventRecord {
  return {
    id: row.id,
    type: row.type as EventRecord["type"],
    reason: row.reason,
    message: row.message,
    regarding: {
      kind: row.regarding_kind,
      name: row.regarding_name,
      ...(row.regarding_id === null ? {} : { id: row.regarding_id }),
      ...(row.regarding_namespace === null ? {} : { namespace: row.regarding_namespace }),
      ...(row.regarding_cluster === null ? {} : { cluster: row.regarding_cluster }),
    },
    ...(row.instance === null ? {} : { instance: row.instance }),
    source: row.source,
    count: row.count,
    firstSeenAt: new Date(row.first_seen_at).toISOString(),
    lastSeenAt: new Date(row.last_seen_at).toISOString(),
  };
}
