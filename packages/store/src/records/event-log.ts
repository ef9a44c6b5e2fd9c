import { createHash } from "node:crypto";

import type { EventRecord } from "@bowline/api";

import type { RowOf } from "../engine/tables.ts";
import type { RecordPage } from "./record-page.ts";

export type NewEvent = Pick<EventRecord, "type" | "reason" | "message" | "regarding" | "source">;

export interface EventLog {
  /** What was told before, about the same object with the same reason and message, is counted, not added. */
  record(events: readonly NewEvent[]): Promise<void>;
  /** Those that last happened latest come first. */
  list(query?: EventQuery): Promise<EventPage>;
  /** The number of the last thing that was told. Numbers become visible in their order; there may be gaps. */
  resourceVersion(): Promise<string>;
  /**
   * What was told after a number: each event once, with the number and as of the last time it happened. `Expired` when
   * some of it is not kept any more.
   */
  read(query: ToldQuery): Promise<ToldBatch>;
  /** Calls back whenever this process has told something, until the function it returns is called. */
  onRecord(listener: () => void): () => void;
}

export interface EventPage extends RecordPage<EventRecord> {
  /** As new as the first page: a watch from here misses nothing. */
  readonly resourceVersion: string;
}

export interface ToldQuery {
  readonly after: string;
  readonly limit?: number | undefined;
}

export interface ToldBatch {
  readonly events: readonly ToldEvent[];
  /** Everything up to here has been read. */
  readonly resourceVersion: string;
}

export interface ToldEvent {
  readonly revision: number;
  readonly event: EventRecord;
}

export interface EventQuery {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly cluster?: string | undefined;
  readonly type?: EventRecord["type"] | undefined;
  readonly reason?: string | undefined;
  /** Leaves out what happened to objects of these kinds. */
  readonly withoutKinds?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

type EventRow = RowOf<"events">;

/** Rows to be added to what is there; events that fold into each other are one row already. */
export function foldEvents(events: readonly NewEvent[], newId: () => string, nowMs: number): EventRow[] {
  const rows = new Map<string, EventRow>();
  for (const event of events) {
    const key = foldKey(event);
    const known = rows.get(key);
    if (known === undefined) rows.set(key, rowOf(event, key, newId(), nowMs));
    else known.count += 1;
  }
  return [...rows.values()];
}

function foldKey({ type, reason, message, regarding, source }: NewEvent): string {
  const { kind, name, id, cluster } = regarding;
  const parts = [type, reason, message, source, kind, name, id ?? null, cluster ?? null];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function rowOf(event: NewEvent, key: string, id: string, nowMs: number): EventRow {
  const { type, reason, message, regarding, source } = event;
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
      ...(row.regarding_cluster === null ? {} : { cluster: row.regarding_cluster }),
    },
    source: row.source,
    count: row.count,
    firstSeenAt: new Date(row.first_seen_at).toISOString(),
    lastSeenAt: new Date(row.last_seen_at).toISOString(),
  };
}
