import type { Clock } from "@bowline/core";
import { sql, type SelectQueryBuilder } from "kysely";

import { selectRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { givenTexts } from "../engine/given-texts.ts";
import type { Database, RowOf } from "../engine/tables.ts";
import { firstRowOf, rowsByKey, rowsOf, type Transaction } from "../engine/transaction.ts";
import { LogFeed, type LogTable, type TablePage, type TableQuery } from "../log/log-feed.ts";
import { logIds, logState } from "../log/log-state.ts";
import { requireKept, type LogItem } from "../log/log.ts";
import { decodeCursor, encodeCursor, requireLimit, type RecordPage } from "../records/page.ts";

export interface ViewLogOptions {
  readonly engine: Engine;
  readonly clock: Pick<Clock, "after">;
  /** How often to look for what other replicas stored, while somebody follows. */
  readonly pollMs: number;
}

/** A view of a cluster as it was when it last changed. */
export interface ViewLogItem extends LogItem {
  readonly clusterId: string;
  readonly name: string;
  /** JSON; undefined for a view that there is no more. */
  readonly content: string | undefined;
  readonly updatedAtMs: number;
}

export interface ViewQuery {
  readonly clusterIds: readonly string[];
  /** All of them when not given. */
  readonly names?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ViewPage extends Omit<RecordPage<ViewLogItem>, "total"> {
  /** As new as the first page: a watch from here misses nothing. */
  readonly resourceVersion: string;
}

type ViewRow = RowOf<"graph_views">;
type ViewKey = Pick<ViewRow, "cluster_id" | "name">;
type SizedKey = ViewKey & { readonly size: number };

/** What is read at once, in characters: whether a page has ten large views or hundreds of small ones. */
const maxPageSize = 4 * 1024 * 1024;
/** Rough size of an item without its content. */
const itemSize = 200;

/** The views of all clusters: numbers that their agents have counted, each as it is now. */
export class ViewLog {
  /** The views in the order of their changes: each once, as of the last one. The kind of an item is the view's name. */
  readonly feed: LogFeed<ViewLogItem>;
  readonly #engine: Engine;

  constructor({ engine, clock, pollMs }: ViewLogOptions) {
    this.feed = new LogFeed({ table: new ViewTable(engine), clock, pollMs });
    this.#engine = engine;
  }

  /** By cluster, and by name. */
  async list({ clusterIds, names, limit: wanted, cursor }: ViewQuery): Promise<ViewPage> {
    const engine = this.#engine;
    const limit = requireLimit(wanted);
    const from = cursor === undefined ? undefined : decodeCursor({ names }, cursor);
    const [clusterId = "", name = ""] = (from?.after ?? []).map(String);
    const given = sql<string>`(select value from ${givenTexts(engine.dialect, clusterIds)})`;
    let matching = engine.queries
      .selectFrom("graph_views")
      .where("content", "<>", "")
      .where("cluster_id", "in", given);
    if (names !== undefined) matching = matching.where("name", "in", names);
    const keys = matching
      .where(sql<boolean>`(cluster_id, name) > (${clusterId}, ${name})`)
      .orderBy("cluster_id")
      .orderBy("name")
      .limit(limit + 1);
    return engine.readSnapshot(function* (): Transaction<ViewPage> {
      const revision = from?.revision ?? (yield* firstRowOf(logState(engine, logIds.views)))?.revision ?? 0;
      const found = yield* rowsOf(sized(keys));
      const rows = yield* wholeRows(found.slice(0, limit));
      const page = { items: rows.map(itemOf), resourceVersion: String(revision) };
      const last = rows.at(-1);
      if (rows.length === found.length || last === undefined) return page;
      const after = [last.cluster_id, last.name];
      return { ...page, cursor: encodeCursor({ names }, { after, total: 0, revision }) };
    });
  }
}

class ViewTable implements LogTable<ViewLogItem> {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async head(): Promise<number> {
    return (await this.#engine.read(() => firstRowOf(logState(this.#engine, logIds.views))))?.revision ?? 0;
  }

  async read({ after, kinds, limit }: TableQuery): Promise<TablePage<ViewLogItem>> {
    const engine = this.#engine;
    let keys = engine.queries
      .selectFrom("graph_views")
      .where("revision", ">", after)
      .orderBy("revision")
      .limit(limit);
    if (kinds !== undefined) keys = keys.where("name", "in", kinds);
    return engine.readSnapshot(function* (): Transaction<TablePage<ViewLogItem>> {
      const { revision: head = 0, compacted = 0 } = (yield* firstRowOf(logState(engine, logIds.views))) ?? {};
      requireKept(after, { compacted, head });
      const found = yield* rowsOf(sized(keys));
      const items = (yield* wholeRows(found)).map(itemOf);
      const last = items.length < found.length || found.length === limit ? items.at(-1) : undefined;
      return { items, head, position: last?.revision ?? head };
    });
  }
}

function sized(keys: SelectQueryBuilder<Database, "graph_views", object>) {
  return keys.select(["cluster_id", "name", sql<number>`length(content)`.as("size")]);
}

/** The rows of these keys in their order, as many as go into a page, and at least one. */
function* wholeRows(keys: readonly SizedKey[]): Transaction<ViewRow[]> {
  let size = 0;
  const tooMany = keys.findIndex((key, index) => (size += key.size) > maxPageSize && index > 0);
  const taken = tooMany < 0 ? keys : keys.slice(0, tooMany);
  const rows = yield* rowsByKey(selectRows("graph_views", ["cluster_id", "name"], taken));
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return taken.flatMap((key) => byKey.get(keyOf(key)) ?? []);
}

function keyOf({ cluster_id: clusterId, name }: ViewKey): string {
  return JSON.stringify([clusterId, name]);
}

function itemOf(row: ViewRow): ViewLogItem {
  return {
    revision: row.revision,
    kind: row.name,
    size: itemSize + row.content.length,
    clusterId: row.cluster_id,
    name: row.name,
    content: row.content === "" ? undefined : row.content,
    updatedAtMs: row.updated_at,
  };
}
