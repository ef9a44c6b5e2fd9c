import { sql } from "kysely";

import { deleteRows, insertRows, selectRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { givenTexts } from "../engine/given-texts.ts";
import { rowsByKey, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { outcomeOf, type BatchOutcome } from "../reports/batch-queue.ts";
import { cursorAfter, lockCursors } from "../reports/cursors.ts";
import type { CursorRow, ReportKey } from "../reports/report.ts";
import { CoverageFold } from "./coverage-fold.ts";
import {
  forever,
  type GraphBatch,
  type GraphItem,
  type GraphLimits,
  type RefusedGraphItem,
  type StoredGraphBatch,
  type VersionRow,
} from "./graph.ts";
import { trimCoverage, trimVersions } from "./prune-graph.ts";
import { VersionFold } from "./version-fold.ts";
import { ViewFold } from "./view-fold.ts";

export interface GraphContext {
  readonly engine: Engine;
  readonly limits: GraphLimits;
  readonly nowMs: number;
}

interface Folds {
  readonly versions: VersionFold;
  readonly coverage: CoverageFold;
  readonly views: ViewFold;
}

interface StoredGraph {
  readonly outcomes: BatchOutcome<StoredGraphBatch>[];
  /** How many views have changed. */
  readonly changedViews: number;
}

/**
 * Stores batches, of any clusters, in one transaction: items and the number of their batch together, so that a batch that
 * comes twice finds its number, and writes nothing. One that is refused leaves the others alone.
 */
export function* storeGraph(context: GraphContext, batches: readonly GraphBatch[]): Transaction<StoredGraph> {
  const cursors = yield* lockCursors("graph", [...new Set(batches.map(({ key }) => key.clusterId))]);
  const folds = yield* loadFolds(context, batches);
  const moved = new Set<string>();
  const outcomes = batches.map(({ key, sequence, items }) =>
    outcomeOf((): StoredGraphBatch => {
      const before = cursors.get(key.clusterId);
      const next = cursorAfter(key, sequence, before);
      if (next === undefined) return { isNew: false, refused: [], isChange: false };
      const refused = applyItems(folds, next, key, items);
      cursors.set(key.clusterId, next);
      moved.add(key.clusterId);
      return { isNew: true, refused, isChange: next.change !== before?.change };
    }),
  );
  const changedViews = yield* write(context.engine, folds);
  const written: CursorRow[] = [];
  for (const clusterId of moved) {
    const cursor = cursors.get(clusterId);
    if (cursor !== undefined) written.push(yield* withinLimits(context, folds, cursor));
  }
  yield* run(upsertRows("report_cursors", written));
  return { outcomes, changedViews };
}

function applyItems(
  { versions, coverage, views }: Folds,
  cursor: CursorRow,
  key: ReportKey,
  items: readonly GraphItem[],
): RefusedGraphItem[] {
  const apply = (item: GraphItem): RefusedGraphItem["refusal"] | undefined => {
    if (item.type === "facts") return versions.tell(cursor, key, item);
    if (item.type === "coverage") return coverage.tell(cursor, key, item.coverage);
    if (item.type === "view") return views.tell(key, item);
    versions.gone(cursor, key, item.uid);
    return undefined;
  };
  return items.flatMap((item) => {
    const refusal = apply(item);
    return refusal === undefined ? [] : [{ index: item.index, refusal }];
  });
}

function* loadFolds(context: GraphContext, batches: readonly GraphBatch[]): Transaction<Folds> {
  const uids = uidsByCluster(batches);
  const keys = [...uids].flatMap(([clusterId, own]) =>
    [...own].map((uid) => ({ cluster_id: clusterId, uid, valid_to: forever })),
  );
  const by = ["cluster_id", "uid", "valid_to"] as const;
  const known = yield* rowsByKey(selectRows("graph_versions", by, keys));
  for (const { cluster_id: clusterId, uid } of known) uids.get(clusterId)?.delete(uid);
  const ends: Pick<VersionRow, "cluster_id" | "uid" | "valid_to">[] = [];
  for (const [clusterId, unknown] of uids) {
    for (const end of yield* lastEnds(context.engine, clusterId, [...unknown])) {
      ends.push({ cluster_id: clusterId, ...end });
    }
  }
  const clusters = (type: GraphItem["type"]): { readonly cluster_id: string; readonly valid_to: number }[] =>
    [...new Set(batches.filter(({ items }) => items.some((item) => item.type === type)))]
      .map(({ key }) => key.clusterId)
      .filter((id, index, all) => all.indexOf(id) === index)
      .map((id) => ({ cluster_id: id, valid_to: forever }));
  const coverage = yield* rowsByKey(
    selectRows("graph_coverage", ["cluster_id", "valid_to"], clusters("coverage")),
  );
  const views = yield* rowsByKey(selectRows("graph_views", ["cluster_id"], clusters("view")));
  return {
    versions: new VersionFold({ ...context, known, ends }),
    coverage: new CoverageFold({ ...context, coverage }),
    views: new ViewFold({ ...context, views }),
  };
}

function uidsByCluster(batches: readonly GraphBatch[]): Map<string, Set<string>> {
  const clusters = new Map<string, Set<string>>();
  for (const { key, items } of batches) {
    const uids = clusters.get(key.clusterId) ?? new Set();
    clusters.set(key.clusterId, uids);
    for (const item of items) {
      if (item.type === "facts") uids.add(item.object.uid);
      if (item.type === "gone") uids.add(item.uid);
    }
  }
  return clusters;
}

interface LastEnd {
  readonly uid: string;
  readonly valid_to: number | null;
}

/** When objects that have no current version were last gone. Nearly all of them never were. */
function* lastEnds(
  { queries, dialect }: Engine,
  clusterId: string,
  uids: readonly string[],
): Transaction<Pick<VersionRow, "uid" | "valid_to">[]> {
  if (uids.length === 0) return [];
  const given = givenTexts(dialect, uids);
  const end = sql`(select max(valid_to) from graph_versions where cluster_id = ${clusterId} and uid = value)`;
  const query = sql<LastEnd>`select value as uid, ${end} as valid_to from ${given}`;
  const rows = yield* rowsOf({ compile: () => query.compile(queries) });
  return rows.flatMap(({ uid, valid_to: validTo }) => (validTo === null ? [] : { uid, valid_to: validTo }));
}

/** The numbers of views, which all clusters share, are taken last: others wait for them. Returns how many changed. */
function* write(engine: Engine, { versions, coverage, views }: Folds): Transaction<number> {
  yield* run(deleteRows("graph_versions", versions.removed()));
  yield* run(upsertRows("graph_versions", versions.written()));
  yield* run(insertRows("graph_versions", versions.closed));
  yield* run(upsertRows("graph_coverage", coverage.written()));
  yield* run(upsertRows("graph_coverage", coverage.closed));
  return yield* views.write(engine);
}

/** The history of a cluster that changes quicker than its age limits it: for what is new the oldest goes. */
function* withinLimits(
  { engine, limits }: GraphContext,
  { versions, coverage }: Folds,
  cursor: CursorRow,
): Transaction<CursorRow> {
  const ofCluster = (rows: readonly { readonly cluster_id: string }[]): number =>
    rows.filter(({ cluster_id: id }) => id === cursor.cluster_id).length;
  if (ofCluster(coverage.closed) > 0) yield* trimCoverage(engine, cursor.cluster_id, limits.maxCoverage);
  return yield* trimVersions(engine, cursor, {
    maxSize: limits.maxHistorySize,
    // More than have come, so that it gets back to its limit whatever it was before.
    most: ofCluster(versions.closed) + 100,
  });
}
