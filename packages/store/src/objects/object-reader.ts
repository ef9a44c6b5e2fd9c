import { joinSecrets, type Kind, type ObjectOf } from "@bowline/api";
import { sql } from "kysely";

import { selectRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import {
  firstRowOf,
  rowsByKey,
  rowsOf,
  type Program,
  type Row,
  type SqlStatement,
} from "../engine/program.ts";
import { decodeCursor, encodeCursor } from "../records/cursor.ts";
import { requireLimit } from "../records/record-page.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { openSecrets } from "../secrets/object-secrets.ts";
import type { RowOf } from "../engine/tables.ts";
import { leadingCandidates, NamesQuery, type Selection, type Term } from "./names-query.ts";
import type {
  JsonPage,
  ListQuery,
  ObjectJson,
  ObjectPage,
  UnobservedObject,
  UnobservedQuery,
} from "./object-store.ts";
import { everyObject } from "./object-terms.ts";
import { readPage, type ReadRows } from "./read-page.ts";
import { parseObject, storedObjectOf, typed } from "./stored-object.ts";

type Queries = Engine["queries"];

/** Reads objects. */
export class ObjectReader {
  readonly #engine: Engine;
  readonly #keys: KeyRing;
  /** Built once: for a query as small as this one, building it costs as much as running it. */
  readonly #getSql: string;
  readonly #pageSql: string;

  constructor(engine: Engine, keys: KeyRing) {
    this.#engine = engine;
    this.#keys = keys;
    this.#getSql = bodyQuery(engine.queries).where("name", "=", "").compile().sql;
    this.#pageSql = pageQuery(engine.queries).compile().sql;
  }

  async get<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined> {
    const found = await this.getJson(kind, name);
    return found === undefined ? undefined : typed(kind, parseObject(found.json));
  }

  async getJson(kind: Kind, name: string): Promise<ObjectJson | undefined> {
    const statement = { sql: this.#getSql, parameters: [kind.kind, name] };
    const [row] = await this.#engine.read(() => rowsFor(statement));
    if (row === undefined) return undefined;
    return { json: String(row["body"]), resourceVersion: String(row["resource_version"]) };
  }

  async reveal<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined> {
    const key = selectRows("objects", ["kind", "name"], [{ kind: kind.kind, name }]);
    const [row] = await this.#engine.read(() => rowsByKey(key));
    if (row === undefined) return undefined;
    const { object, secrets } = storedObjectOf(row);
    const opened = openSecrets(this.#keys, { kind: kind.kind, id: row.id }, secrets);
    return typed(kind, { ...object, spec: joinSecrets(kind, object.spec, opened) });
  }

  async findByLookupKey<K extends Kind>(kind: K, lookupKey: string): Promise<ObjectOf<K> | undefined> {
    const query = bodyQuery(this.#engine.queries, kind.kind).where("lookup_key", "=", lookupKey);
    const row = await this.#engine.read(() => firstRowOf(query));
    return row === undefined ? undefined : typed(kind, parseObject(row.body));
  }

  async list<K extends Kind>(kind: K, query?: ListQuery): Promise<ObjectPage<K>> {
    const page = await this.listJson(kind, query);
    return { ...page, items: page.items.map((json) => typed(kind, parseObject(json))) };
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
    return this.#engine.readSnapshot(function* (): Program<JsonPage> {
      const search = yield* searchFor(queries, kind, { labels, fields });
      const { total, revision } = from ?? (yield* firstPageFacts(queries, search));
      const { names } = search;
      const read: ReadRows = function* (after, count) {
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

  async listUnobserved({ kinds, limit, after }: UnobservedQuery): Promise<UnobservedObject[]> {
    const names = kinds.map((kind) => kind.kind);
    if (names.length === 0) return [];
    let query = this.#engine.queries
      .selectFrom("objects")
      .select(["kind", "name", "generation"])
      // Word for word the condition of the index.
      .where(sql<boolean>`observed_generation <> generation`)
      .where("kind", "in", names)
      .orderBy("kind")
      .orderBy("name")
      .limit(limit);
    if (after !== undefined) query = query.where(sql<boolean>`(kind, name) > (${after.kind}, ${after.name})`);
    return this.#engine.read(() => rowsOf(query));
  }
}

function bodyQuery(queries: Queries, kind = "") {
  return queries.selectFrom("objects").select(["body", "resource_version"]).where("kind", "=", kind);
}

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

function* rowsFor(statement: SqlStatement): Program<readonly Row[]> {
  return yield statement;
}

function* rowsByName(kind: Kind, names: readonly { readonly name: string }[]): Program<readonly Row[]> {
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
}

function* searchFor(queries: Queries, kind: Kind, selection: Selection): Program<Search> {
  const { labels, fields } = selection;
  const isFiltered = labels.length > 0 || fields.length > 0;
  const terms = isFiltered ? leadingCandidates(selection) : [everyObject];
  const keys = terms.map((term) => ({ kind: kind.kind, ...term }));
  const kept = yield* rowsByKey(selectRows("object_counts", ["kind", "term", "value"], keys));
  const counts = terms.map((term) => ({ term, count: countOf(term, kept) }));
  const [rarest] = counts.toSorted((a, b) => a.count - b.count);
  if (!isFiltered) return { names: undefined, total: rarest?.count };
  const names = new NamesQuery(queries, kind, selection, rarest?.term);
  return { names, total: labels.length + fields.length === 1 ? rarest?.count : undefined };
}

function countOf(term: Term, kept: readonly RowOf<"object_counts">[]): number {
  return kept.find((row) => row.term === term.term && row.value === term.value)?.count ?? 0;
}

function* firstPageFacts(
  queries: Queries,
  { names, total }: Search,
): Program<{ readonly total: number; readonly revision: number }> {
  const state = yield* firstRowOf(queries.selectFrom("store_state").select("revision").where("id", "=", 1));
  const revision = state?.revision ?? 0;
  if (total !== undefined || names === undefined) return { total: total ?? 0, revision };
  return { total: (yield* firstRowOf(names.count()))?.count ?? 0, revision };
}
