import { sql, type RawBuilder } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { rowsOf, type Transaction } from "../engine/transaction.ts";
import { coverageOf, forever, type Coverage } from "./graph.ts";

/** Which changes are counted. */
export interface TimelineRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** Only in these; in all of them, and in none, if missing. */
  readonly namespaces?: readonly string[] | undefined;
}

/** How many objects came, say something else, and went, in one interval. */
export interface ChangeCounts {
  /** The first is 0. */
  readonly step: number;
  readonly came: number;
  readonly changed: number;
  readonly went: number;
}

/** A state of coverage that is over, or, without an end, is not. */
export interface CoverageSpan extends Coverage {
  readonly toMs?: number;
}

interface Counted {
  readonly step: number | string;
  readonly count: number | string;
}

/**
 * Counts versions by when they began and when they were over. One that another took the place of has no number any more,
 * one whose object went has the number of that change: an index has all of these columns.
 */
export function* countChanges(
  engine: Engine,
  clusterId: string,
  range: TimelineRange,
): Transaction<ChangeCounts[]> {
  const began = yield* counted(engine, clusterId, range, { column: "valid_from" });
  const changed = yield* counted(engine, clusterId, range, { column: "valid_to", isReplaced: true });
  const went = yield* counted(engine, clusterId, range, { column: "valid_to", isReplaced: false });
  const steps = [...new Set([...began.keys(), ...changed.keys(), ...went.keys()])];
  return steps
    .toSorted((one, other) => one - other)
    .map((step) => ({
      step,
      came: Math.max(0, (began.get(step) ?? 0) - (changed.get(step) ?? 0)),
      changed: changed.get(step) ?? 0,
      went: went.get(step) ?? 0,
    }));
}

interface CountedTimes {
  readonly column: "valid_from" | "valid_to";
  readonly isReplaced?: boolean;
}

function* counted(
  engine: Engine,
  clusterId: string,
  { fromMs, toMs, stepMs, namespaces }: TimelineRange,
  { column, isReplaced }: CountedTimes,
): Transaction<Map<number, number>> {
  // Written out: a parameter of SQLite is no integer, and would not be divided as one.
  const step: RawBuilder<number> = sql`(${sql.ref(column)} - ${sql.lit(fromMs)}) / ${sql.lit(stepMs)}`;
  let query = engine.queries
    .selectFrom("graph_versions")
    .select([step.as("step"), sql<number>`count(*)`.as("count")])
    .where("cluster_id", "=", clusterId)
    .where(column, ">=", fromMs)
    .where(column, "<", toMs);
  if (isReplaced !== undefined) query = query.where("change", isReplaced ? "=" : ">", 0);
  if (namespaces !== undefined) query = query.where("namespace", "in", [...namespaces]);
  const rows: Counted[] = yield* rowsOf(query.groupBy(step));
  return new Map(rows.map((row) => [Number(row.step), Number(row.count)]));
}

/** What was not observed at some moment of a range, the earliest first. */
export function* gapsBetween(
  engine: Engine,
  clusterId: string,
  { fromMs, toMs }: Pick<TimelineRange, "fromMs" | "toMs">,
): Transaction<CoverageSpan[]> {
  const rows = yield* rowsOf(
    engine.queries
      .selectFrom("graph_coverage")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("valid_to", ">", fromMs)
      .where("valid_from", "<", toMs)
      .where("state", "not in", ["observed", "absent"])
      .orderBy("valid_from"),
  );
  return rows.map((row) => ({
    ...coverageOf(row),
    ...(row.valid_to === forever ? {} : { toMs: row.valid_to }),
  }));
}

/** When something of the cluster was observed for the first time, as far as that is kept. */
export function* observedSince(engine: Engine, clusterId: string): Transaction<number | undefined> {
  const [row] = yield* rowsOf(
    engine.queries
      .selectFrom("graph_coverage")
      .select("valid_from")
      .where("cluster_id", "=", clusterId)
      .where("state", "=", "observed")
      .orderBy("valid_from")
      .limit(1),
  );
  return row?.valid_from;
}
