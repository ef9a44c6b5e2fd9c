import type { FieldRequirement, Kind, ObjectOf } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";
import { sql } from "kysely";

import { selectRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsByKey, rowsOf, type Row, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";
import { decodeCursor, encodeCursor, requireLimit } from "../records/page.ts";
import { leadingCandidates, NamesQuery, type Selection, type Term } from "./names-query.ts";
import { everyObject } from "./object-index.ts";

export interface ListQuery {
  readonly labels?: readonly LabelRequirement[] | undefined;
  readonly fields?: readonly FieldRequirement[] | undefined;
  /** `pageLimits` of the API when not given. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export type ObjectPage<K extends Kind> = Page<ObjectOf<K>>;
export type JsonPage = Page<string>;

interface Page<Item> {
  readonly items: readonly Item[];
  /** How many match on all pages, counted when the first page was read. */
  readonly total: number;
  /** Missing on the last page. */
  readonly cursor?: string;
  /** As new as the first page: a watch from here misses nothing, whichever page it was read with. */
  readonly resourceVersion: string;
}

type Queries = Engine["queries"];

/** Reads pages of the objects of a kind, all of them or those that a selector means. */
export class ObjectLister {
  readonly #engine: Engine;
  /** Built once: for a query as small as this one, building it costs as much as running it. */
  readonly #pageSql: string;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#pageSql = pageQuery(engine.queries).compile().sql;
  }

  async listJson(kind: Kind, query: ListQuery = {}): Promise<JsonPage> {
    const { labels = [], fields = [], cursor } = query;
    const limit = requireLimit(query.limit);
    const identity = [
      kind.kind,
      labels,
      fields.map(({ field, operator, value }) => [field.text, operator, value]),
    ];
    const from = cursor === undefined ? undefined : decodeCursor(identity, cursor);
    const start = from === undefined ? "" : String(from.after[0]);
    const { queries } = this.#engine;
    const pageSql = this.#pageSql;
    return this.#engine.readSnapshot(function* (): Transaction<JsonPage> {
      const search = yield* searchFor(queries, kind, { labels, fields });
      const { total, revision } = from ?? (yield* firstPageFacts(queries, search));
      const { names } = search;
      const read: ReadRows = function* (after, count) {
        if (search.isEmpty) return [];
        if (names !== undefined) return yield* rowsByName(kind, yield* rowsOf(names.page(after, count)));
        return yield { sql: pageSql, parameters: [kind.kind, after, kind.kind, count] };
      };
      const { rows, hasMore } = yield* readPage(read, start, limit);
      const items = rows.map((row) => String(row["body"]));
      const page = { items, total, resourceVersion: String(revision) };
      if (!hasMore) return page;
      const after = [String(rows.at(-1)?.["name"])];
      return { ...page, cursor: encodeCursor(identity, { after, total, revision }) };
    });
  }

  async listNames(
    kind: Kind,
    { labels = [], fields = [] }: Pick<ListQuery, "labels" | "fields">,
  ): Promise<string[]> {
    const { queries } = this.#engine;
    const names: string[] = [];
    for (;;) {
      const after = names.at(-1);
      const page = await this.#engine.readSnapshot(function* () {
        const search = yield* searchFor(queries, kind, { labels, fields });
        if (search.isEmpty) return [];
        const query = search.names ?? new NamesQuery(queries, kind, { labels, fields });
        return yield* rowsOf(query.page(after, namesAtOnce));
      });
      names.push(...page.map(({ name }) => name));
      if (page.length < namesAtOnce) return names;
    }
  }
}

/** Names are short; this many at once spare most lists a second query. */
const namesAtOnce = 5_000;

/**
 * A range over kind and name where `kind = …` would do: while PostgreSQL has no statistics it takes an equality for so
 * rare that it would rather read and sort all objects of the kind than walk the index.
 */
function pageQuery(queries: Queries) {
  return queries
    .selectFrom("objects")
    .select(["name", "body"])
    .where(sql<boolean>`(kind, name) > (${""}, ${""})`)
    .where("kind", "<=", "")
    .orderBy("kind")
    .orderBy("name")
    .limit(1);
}

function* rowsByName(kind: Kind, names: readonly { readonly name: string }[]): Transaction<readonly Row[]> {
  const keys = names.map(({ name }) => ({ kind: kind.kind, name }));
  const rows = yield* rowsByKey(selectRows("objects", ["kind", "name"], keys));
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** How to find the objects of a list. */
interface Search {
  /** Undefined when there is nothing to select by. */
  readonly names: NamesQuery | undefined;
  /** How many there are, where that number is kept. */
  readonly total: number | undefined;
  /** There is nothing that it could find: what nobody refers to is asked for with most changes. */
  readonly isEmpty: boolean;
}

function* searchFor(queries: Queries, kind: Kind, selection: Selection): Transaction<Search> {
  const { labels, fields } = selection;
  const isFiltered = labels.length > 0 || fields.length > 0;
  const terms = isFiltered ? leadingCandidates(selection) : [everyObject];
  const keys = terms.map((term) => ({ kind: kind.kind, ...term }));
  const kept = yield* rowsByKey(selectRows("object_counts", ["kind", "term", "value"], keys));
  const counts = terms.map((term) => ({ term, count: countOf(term, kept) }));
  const [rarest] = counts.toSorted((a, b) => a.count - b.count);
  const isEmpty = rarest?.count === 0;
  if (!isFiltered) return { names: undefined, total: rarest?.count, isEmpty };
  const names = new NamesQuery(queries, kind, selection, rarest?.term);
  return { names, total: labels.length + fields.length === 1 ? rarest?.count : undefined, isEmpty };
}

function countOf(term: Term, kept: readonly RowOf<"object_counts">[]): number {
  return kept.find((row) => row.term === term.term && row.value === term.value)?.count ?? 0;
}

function* firstPageFacts(
  queries: Queries,
  { names, total, isEmpty }: Search,
): Transaction<{ readonly total: number; readonly revision: number }> {
  const state = yield* firstRowOf(queries.selectFrom("store_state").select("revision").where("id", "=", 1));
  const revision = state?.revision ?? 0;
  if (total !== undefined || names === undefined || isEmpty) return { total: total ?? 0, revision };
  return { total: (yield* firstRowOf(names.count()))?.count ?? 0, revision };
}

/** The rows after a name, in the order of names. */
export type ReadRows = (after: string, limit: number) => Transaction<readonly Row[]>;

export interface PageRows {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A thousand of the largest objects would be gigabytes; a page that is cut short goes on with its cursor. */
const maxPageLength = 16 * 1024 * 1024;
/** How many are in memory before anybody has seen how large they are. */
const rowsAtOnce = 64;

/** Reads up to `limit` rows with a `name` and a `body`; fewer when they are large, but one in any case. */
export function* readPage(read: ReadRows, start: string, limit: number): Transaction<PageRows> {
  const rows: Row[] = [];
  let length = 0;
  for (let after = start; ;) {
    const wanted = Math.min(rowsAtOnce, limit + 1 - rows.length);
    const found = yield* read(after, wanted);
    for (const row of found) {
      if (rows.length === limit || length >= maxPageLength) return { rows, hasMore: true };
      rows.push(row);
      length += String(row["body"]).length;
    }
    if (found.length < wanted) return { rows, hasMore: false };
    after = String(found.at(-1)?.["name"]);
  }
}
