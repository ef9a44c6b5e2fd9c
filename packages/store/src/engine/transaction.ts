import type { Compilable } from "kysely";

import type { RowOf, TableName } from "./tables.ts";
import type { BulkStatement } from "./bulk-statement.ts";

export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type Statement = SqlStatement | BulkStatement;

export type Row = Readonly<Record<string, unknown>>;

/**
 * Work on the database as a generator: it yields statements and is handed their rows. SQLite runs it in one go, without
 * giving way to anything else; PostgreSQL awaits each answer. The logic is written once for both.
 *
 * The database may ask for it to be run again from its beginning; so it changes nothing outside of itself. A statement
 * that fails ends it.
 */
export type Transaction<T> = Generator<Statement, T, readonly Row[]>;

/** Runs a query; the type of its rows is the one Kysely worked out. */
export function* rowsOf<O>(query: Compilable<O>): Transaction<O[]> {
  const rows = yield query.compile();
  return rows as O[];
}

/** The one row a query has, or none. */
export function* firstRowOf<O>(query: Compilable<O>): Transaction<O | undefined> {
  return (yield* rowsOf(query))[0];
}

/** Every row of a table whose columns `by` have one of these values. */
export function* rowsByKey<T extends TableName>(
  statement: BulkStatement & { readonly table: T },
): Transaction<RowOf<T>[]> {
  if (statement.rows.length === 0) return [];
  const rows = yield statement;
  return rows as RowOf<T>[];
}

/** Runs a statement for what it does; one without rows does nothing. */
export function* run(statement: Statement | Compilable): Transaction<void> {
  if ("compile" in statement) yield statement.compile();
  else if (!("rows" in statement) || statement.rows.length > 0) yield statement;
}
