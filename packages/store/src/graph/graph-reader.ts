import { BowlineError } from "@bowline/core";
import { sql } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, type Transaction } from "../engine/transaction.ts";
import type { CursorRow } from "../reports/report.ts";
import {
  coverageOf,
  forever,
  versionOf,
  type Coverage,
  type KnownVersion,
  type StoredVersion,
  type VersionRow,
} from "./graph.ts";
import {
  countChanges,
  gapsBetween,
  observedSince,
  type ChangeCounts,
  type CoverageSpan,
  type TimelineRange,
} from "./graph-timeline.ts";

/** How far the graph of a cluster is. */
export interface GraphState {
  /** The number of the last change. */
  readonly change: number;
  /** Everything that exists in the cluster has been told since its agent began to observe. */
  readonly complete: boolean;
  /** How many objects there are, and how much they say, in characters. */
  readonly objects: number;
  readonly factsSize: number;
  /** Versions that were over before are not all kept; 0 when all are. */
  readonly historyFromMs: number;
}

/** An object that says something else than before, or, without a version, is gone. */
export interface GraphChange {
  readonly change: number;
  readonly uid: string;
  readonly version?: StoredVersion;
}

/** An object that is there now. */
export type CurrentObject = Required<GraphChange>;

/** Versions as they are handed over: SQLite does nothing else while it reads a page. */
type Pages<T> = AsyncGenerator<readonly T[], void, undefined>;

/** A page has so many versions; some of them may be large. */
const pageSize = 500;

/** Written out, as the index of what is over has it: a parameter could be any time. */
const untilNow = sql.lit(forever);

/** Reads what was stored of the graphs of clusters. */
export class GraphReader {
  protected readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Undefined when nothing was ever told of the cluster. */
  async state(clusterId: string): Promise<GraphState | undefined> {
    const row = await this.engine.read(() => this.#cursor(clusterId));
    if (row === undefined) return undefined;
    const { change, complete, resources: objects, facts_size: factsSize, history_from: historyFromMs } = row;
    return { change, complete: complete === 1, objects, factsSize, historyFromMs };
  }

  /** The objects that are there now, without what they say. */
  async *known(clusterId: string, limit = pageSize): Pages<KnownVersion> {
    const columns = ["uid", "api_group", "kind", "namespace", "digest", "change"] as const;
    type Row = Pick<VersionRow, (typeof columns)[number]>;
    for (let after: number | undefined = 0; after !== undefined;) {
      const query = this.#current(clusterId, after, limit);
      const rows: Row[] = await this.engine.read(() => rowsOf(query.select(columns)));
      yield rows.map(({ api_group: group, uid, kind, namespace, digest }) => {
        return { uid, group, kind, namespace, digest };
      });
      after = rows.length < limit ? undefined : rows.at(-1)?.change;
    }
  }

  /**
   * What all objects say now. What changes while somebody reads may be on no page, or on two: who follows the changes from
   * the number that the graph had before the first page knows everything in the end.
   */
  async *current(clusterId: string, limit = pageSize): Pages<StoredVersion> {
    yield* this.#currentAt(clusterId, forever, limit);
  }

  /**
   * What all objects said at a time; one that says something else while somebody reads may come twice. `Expired` when not
   * everything of that time is kept.
   */
  async *at(clusterId: string, timeMs: number, limit = pageSize): Pages<StoredVersion> {
    await this.#requireHistory(clusterId, timeMs);
    // First: what is over by the time that it would have been read here is found below.
    yield* this.#currentAt(clusterId, timeMs, limit);
    yield* this.#overAt(clusterId, timeMs, limit);
    await this.#requireHistory(clusterId, timeMs);
  }

  /**
   * What objects said at a time that say something else now, or are gone: with the versions of now that are older, the
   * whole graph of then. One that has not changed while somebody reads is on no page. `Expired` when not everything of that time is kept.
   */
  async *earlier(clusterId: string, timeMs: number, limit = pageSize): Pages<StoredVersion> {
    await this.#requireHistory(clusterId, timeMs);
    yield* this.#overAt(clusterId, timeMs, limit);
    await this.#requireHistory(clusterId, timeMs);
  }

  /**
   * What has changed behind a number, in order: of each object the last change only. `Expired` when that is not known any
   * more, and everything has to be read again.
   */
  async changes(clusterId: string, after: number, limit = pageSize): Promise<GraphChange[]> {
    const rows = await this.engine.readSnapshot(() => this.#changes(clusterId, after, limit));
    return rows.map((row) => ({
      change: row.change,
      uid: row.uid,
      ...(row.valid_to === forever ? { version: versionOf(row) } : {}),
    }));
  }

  /** The number of the last change of every cluster of which something was told, by its id. */
  async heads(): Promise<Map<string, number>> {
    const query = this.engine.queries
      .selectFrom("report_cursors")
      .select(["cluster_id", "change"])
      .where("topic", "=", "graph");
    const rows = await this.engine.read(() => rowsOf(query));
    return new Map(rows.map((row) => [row.cluster_id, row.change]));
  }

  /** A page of what objects say now, from behind a change: for those who go on later, as `current` reads them. */
  async currentBehind(clusterId: string, after: number, limit = pageSize): Promise<CurrentObject[]> {
    const rows = await this.engine.read(() => rowsOf(this.#current(clusterId, after, limit).selectAll()));
    return rows.map((row) => ({ change: row.change, uid: row.uid, version: versionOf(row) }));
  }

  /** What one object says now. */
  async currentOf(clusterId: string, uid: string): Promise<StoredVersion | undefined> {
    const query = this.#current(clusterId, 0, 1).selectAll().where("uid", "=", uid);
    const row = await this.engine.read(() => firstRowOf(query));
    return row === undefined ? undefined : versionOf(row);
  }

  /** What was known of kinds at a time; now, if it is missing. */
  async coverage(clusterId: string, timeMs = forever - 1): Promise<Coverage[]> {
    const query = this.engine.queries
      .selectFrom("graph_coverage")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("valid_to", ">", timeMs)
      .where("valid_from", "<=", timeMs)
      .orderBy("api_group")
      .orderBy("kind")
      .orderBy("namespace")
      .orderBy("valid_from");
    const rows = await this.engine.read(() => rowsOf(query));
    // A state that was forgotten and told again by another clock may overlap itself: the later counts.
    return rows.map(coverageOf).filter((one, index, all) => !isSameKind(one, all[index + 1]));
  }

  /** How many objects came, changed and went, interval by interval: only those in which some did. */
  changeCounts(clusterId: string, range: TimelineRange): Promise<ChangeCounts[]> {
    return this.engine.readSnapshot(() => countChanges(this.engine, clusterId, range));
  }

  /** What was not observed at some time between two. */
  gaps(clusterId: string, range: Pick<TimelineRange, "fromMs" | "toMs">): Promise<CoverageSpan[]> {
    return this.engine.read(() => gapsBetween(this.engine, clusterId, range));
  }

  /** Since when the cluster is observed; undefined if it never was. */
  observedSinceMs(clusterId: string): Promise<number | undefined> {
    return this.engine.read(() => observedSince(this.engine, clusterId));
  }

  async *#currentAt(clusterId: string, timeMs: number, limit: number): Pages<StoredVersion> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const query = this.#current(clusterId, after, limit).selectAll().where("valid_from", "<=", timeMs);
      const rows: VersionRow[] = await this.engine.read(() => rowsOf(query));
      yield rows.map(versionOf);
      after = rows.length < limit ? undefined : rows.at(-1)?.change;
    }
  }

  /** In the order in which they were over. */
  async *#overAt(clusterId: string, timeMs: number, limit: number): Pages<StoredVersion> {
    let last: Pick<VersionRow, "valid_to" | "uid"> | undefined = { valid_to: timeMs, uid: "\u{10FFFF}" };
    while (last !== undefined) {
      const place = sql<boolean>`(valid_to, uid) > (${last.valid_to}, ${last.uid})`;
      const query = this.#over(clusterId, timeMs)
        .where("valid_to", ">=", last.valid_to)
        .where(place)
        .orderBy("valid_to")
        .orderBy("uid")
        .limit(limit);
      const rows: VersionRow[] = await this.engine.read(() => rowsOf(query));
      yield rows.map(versionOf);
      last = rows.length < limit ? undefined : rows.at(-1);
    }
  }

  /** In the order of changes: a version that takes the place of another comes later. */
  #current(clusterId: string, after: number, limit: number) {
    return this.engine.queries
      .selectFrom("graph_versions")
      .where("cluster_id", "=", clusterId)
      .where("change", ">", after)
      .where("valid_to", "=", forever)
      .orderBy("change")
      .limit(limit);
  }

  /** Versions of a time that are over now. */
  #over(clusterId: string, timeMs: number) {
    return this.engine.queries
      .selectFrom("graph_versions")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("valid_to", "<", untilNow)
      .where("valid_to", ">", timeMs)
      .where("valid_from", "<=", timeMs);
  }

  async #requireHistory(clusterId: string, timeMs: number): Promise<void> {
    const state = await this.state(clusterId);
    if (state !== undefined && timeMs < state.historyFromMs) throw historyGone(state.historyFromMs);
  }

  *#cursor(clusterId: string): Transaction<CursorRow | undefined> {
    return yield* firstRowOf(
      this.engine.queries
        .selectFrom("report_cursors")
        .selectAll()
        .where("cluster_id", "=", clusterId)
        .where("topic", "=", "graph"),
    );
  }

  *#changes(clusterId: string, after: number, limit: number): Transaction<VersionRow[]> {
    const cursor = yield* this.#cursor(clusterId);
    if (cursor === undefined || cursor.compacted > after) throw changesGone(after);
    return yield* rowsOf(
      this.engine.queries
        .selectFrom("graph_versions")
        .selectAll()
        .where("cluster_id", "=", clusterId)
        .where("change", ">", after)
        .orderBy("change")
        .limit(limit),
    );
  }
}

function isSameKind(one: Coverage, other: Coverage | undefined): boolean {
  return one.group === other?.group && one.kind === other.kind && one.namespace === other.namespace;
}

function historyGone(fromMs: number): BowlineError {
  const from = new Date(fromMs).toISOString();
  const message = `The graph of the cluster is kept from ${from} on; ask about a time after that, or have more kept with retention.graph.`;
  return new BowlineError("Expired", message, { details: { from } });
}

function changesGone(after: number): BowlineError {
  const message = `The changes of the graph behind ${after} are not all kept; read it anew.`;
  return new BowlineError("Expired", message);
}
