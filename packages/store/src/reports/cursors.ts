import { insertMissingRows, selectRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsByKey, run, type Transaction } from "../engine/transaction.ts";
import {
  clusterGone,
  epochOver,
  outOfOrder,
  type CursorRow,
  type ReportKey,
  type ReportTopic,
} from "./report.ts";

/** Locks cursors: one transaction at a time changes what is known of a cluster about a topic, on any replica. */
export function* lockCursors(
  topic: ReportTopic,
  clusterIds: readonly string[],
): Transaction<Map<string, CursorRow>> {
  // In one order everywhere, so that two replicas wait for each other instead of locking each other out.
  const keys = clusterIds.toSorted().map((id) => ({ cluster_id: id, topic }));
  const rows = yield* rowsByKey({
    ...selectRows("report_cursors", ["cluster_id", "topic"], keys),
    lock: true,
  });
  return new Map(rows.map((row) => [row.cluster_id, row]));
}

export function* lockCursor(topic: ReportTopic, clusterId: string): Transaction<CursorRow | undefined> {
  return (yield* lockCursors(topic, [clusterId])).get(clusterId);
}

/** Begins an epoch of a topic, or goes on with the one that is under way. */
export function* beginEpoch(engine: Engine, topic: ReportTopic, key: ReportKey): Transaction<CursorRow> {
  const { clusterId, epoch, instance } = key;
  let cursor = yield* lockCursor(topic, clusterId);
  if (cursor === undefined) {
    yield* requireCluster(engine, clusterId);
    yield* run(insertMissingRows("report_cursors", [firstCursor(topic, clusterId)]));
    cursor = yield* lockCursor(topic, clusterId);
  }
  if (cursor === undefined) throw clusterGone(clusterId);
  if (cursor.epoch === epoch && cursor.instance === instance) return cursor;
  if (cursor.epoch >= epoch) throw epochOver(key, cursor);
  const next = { ...cursor, epoch, instance, sequence: 0, complete: 0 };
  yield* run(upsertRows("report_cursors", [next]));
  return next;
}

/** The cursor, if the epoch is the one that is under way. `Expired` if not, `NotFound` without a cluster. */
function cursorFor(key: ReportKey, cursor: CursorRow | undefined): CursorRow {
  if (cursor === undefined) throw clusterGone(key.clusterId);
  if (cursor.epoch !== key.epoch || cursor.instance !== key.instance) throw epochOver(key, cursor);
  return cursor;
}

/**
 * The cursor behind a batch, or undefined for a batch that was stored before. `ProtocolViolation` when batches before it
 * are missing.
 */
export function cursorAfter(
  key: ReportKey,
  sequence: number,
  current: CursorRow | undefined,
): CursorRow | undefined {
  const cursor = cursorFor(key, current);
  if (sequence <= cursor.sequence) return undefined;
  if (sequence !== cursor.sequence + 1) throw outOfOrder(sequence, cursor);
  return { ...cursor, sequence };
}

function firstCursor(topic: ReportTopic, clusterId: string): CursorRow {
  const counts = { resources: 0, facts_size: 0, change: 0, compacted: 0, history_size: 0, history_from: 0 };
  return { cluster_id: clusterId, topic, epoch: 0, instance: "", sequence: 0, complete: 0, ...counts };
}

/** Locked, so that it does not go before the commit. */
function* requireCluster({ queries, dialect }: Engine, id: string): Transaction<void> {
  const query = queries.selectFrom("objects").select("id").where("id", "=", id);
  const found = yield* firstRowOf(dialect === "postgres" ? query.forKeyShare() : query);
  if (found === undefined) throw clusterGone(id);
}
