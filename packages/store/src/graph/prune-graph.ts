import { sql } from "kysely";

import { deleteRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { logIds, markForgotten } from "../log/log-state.ts";
import { lockCursor } from "../reports/cursors.ts";
import type { CursorRow } from "../reports/report.ts";
import { forever, type VersionRow } from "./graph.ts";

type VersionEnd = Pick<VersionRow, "cluster_id" | "uid" | "valid_to" | "change" | "size">;

/** The first cluster, behind the one that is named, of which versions are kept: also one that is gone itself. */
export async function nextGraph(engine: Engine, after: string): Promise<string | undefined> {
  const query = engine.queries
    .selectFrom("graph_versions")
    .select("cluster_id")
    .where("cluster_id", ">", after)
    .orderBy("cluster_id")
    .limit(1);
  return (await engine.read(() => firstRowOf(query)))?.cluster_id;
}

/**
 * Forgets versions, coverage and views that were over before a time, and all of a cluster that is gone. Resolves to how many
 * versions went, which are no more than `most`.
 */
export function* pruneGraph(
  engine: Engine,
  clusterId: string,
  beforeMs: number,
  most: number,
): Transaction<number> {
  const { queries } = engine;
  const cursor = yield* lockCursor("graph", clusterId);
  if (cursor === undefined) {
    // Coverage and views have gone with their Cluster. Of versions there are too many to delete them in one go.
    const versions = queries.selectFrom("graph_versions").select(["cluster_id", "uid", "valid_to"]);
    const rows = yield* rowsOf(versions.where("cluster_id", "=", clusterId).limit(most));
    yield* run(deleteRows("graph_versions", rows));
    return rows.length;
  }
  yield* run(
    queries.deleteFrom("graph_coverage").where("cluster_id", "=", clusterId).where("valid_to", "<", beforeMs),
  );
  yield* forgetViews(engine, clusterId, beforeMs);
  const rows = yield* rowsOf(oldestVersions(engine, clusterId, beforeMs - 1, most));
  if (rows.length > 0) yield* run(upsertRows("report_cursors", [yield* forget(cursor, rows)]));
  return rows.length;
}

/** Forgets the oldest versions that are over, until the others are within their limit. Hands on the cursor, unwritten. */
export function* trimVersions(
  engine: Engine,
  cursor: CursorRow,
  { maxSize, most }: { readonly maxSize: number; readonly most: number },
): Transaction<CursorRow> {
  if (cursor.history_size <= maxSize) return cursor;
  const oldest = yield* rowsOf(oldestVersions(engine, cursor.cluster_id, forever - 1, most));
  let left = cursor.history_size;
  const enough = oldest.findIndex((row) => (left -= row.size) <= maxSize);
  return yield* forget(cursor, enough < 0 ? oldest : oldest.slice(0, enough + 1));
}

/** Of coverage that is over, as many states are kept as there may be at one time. */
export function* trimCoverage({ queries }: Engine, clusterId: string, keep: number): Transaction<void> {
  const newest = yield* firstRowOf(
    queries
      .selectFrom("graph_coverage")
      .select("valid_to")
      .where("cluster_id", "=", clusterId)
      .where("valid_to", "<", forever)
      .orderBy("valid_to", "desc")
      .offset(keep)
      .limit(1),
  );
  if (newest === undefined) return;
  yield* run(
    queries
      .deleteFrom("graph_coverage")
      .where("cluster_id", "=", clusterId)
      .where("valid_to", "<=", newest.valid_to),
  );
}

/** Views that are over: who has not been told so by now has to read them anew. */
function* forgetViews(engine: Engine, clusterId: string, beforeMs: number): Transaction<void> {
  const over = yield* rowsOf(
    engine.queries
      .selectFrom("graph_views")
      .select(["cluster_id", "name", "revision"])
      .where("cluster_id", "=", clusterId)
      .where("content", "=", "")
      .where("updated_at", "<", beforeMs),
  );
  if (over.length === 0) return;
  yield* markForgotten(engine, logIds.views, Math.max(...over.map(({ revision }) => revision)));
  yield* run(deleteRows("graph_views", over));
}

/** Who follows the changes, or asks for a time before, is told that this is not kept any more. */
function* forget(cursor: CursorRow, rows: readonly VersionEnd[]): Transaction<CursorRow> {
  yield* run(deleteRows("graph_versions", rows));
  const next = { ...cursor };
  for (const { change, size, valid_to: validTo } of rows) {
    next.compacted = Math.max(next.compacted, change);
    next.history_size -= size;
    next.history_from = Math.max(next.history_from, validTo);
  }
  return next;
}

function oldestVersions({ queries }: Engine, clusterId: string, lastMs: number, most: number) {
  return queries
    .selectFrom("graph_versions")
    .select(["cluster_id", "uid", "valid_to", "change", "size"])
    .where("cluster_id", "=", clusterId)
    .where("valid_to", "<", sql.lit(forever))
    .where("valid_to", "<=", lastMs)
    .orderBy("valid_to")
    .limit(most);
}
