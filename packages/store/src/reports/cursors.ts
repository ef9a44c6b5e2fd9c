import { selectRows } from "../engine/bulk-statement.ts";
import { rowsByKey, type Transaction } from "../engine/transaction.ts";
import { clusterGone, epochOver, type CursorRow, type ReportKey } from "./report.ts";

/** Locks cursors: one transaction at a time changes what is known of a cluster, on any replica. */
export function* lockCursors(clusterIds: readonly string[]): Transaction<Map<string, CursorRow>> {
  // In one order everywhere, so that two replicas wait for each other instead of locking each other out.
  const keys = clusterIds.toSorted().map((id) => ({ cluster_id: id }));
  const rows = yield* rowsByKey({ ...selectRows("report_cursors", ["cluster_id"], keys), lock: true });
  return new Map(rows.map((row) => [row.cluster_id, row]));
}

export function* lockCursor(clusterId: string): Transaction<CursorRow | undefined> {
  return (yield* lockCursors([clusterId])).get(clusterId);
}

/** The cursor, if the epoch is the one that is under way. `Expired` if not, `NotFound` without a cluster. */
export function cursorFor(key: ReportKey, cursor: CursorRow | undefined): CursorRow {
  if (cursor === undefined) throw clusterGone(key.clusterId);
  if (cursor.epoch !== key.epoch || cursor.instance !== key.instance) throw epochOver(key, cursor);
  return cursor;
}
