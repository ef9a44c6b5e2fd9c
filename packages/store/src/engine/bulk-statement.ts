import { tables, type RowOf, type TableName } from "./tables.ts";
import type { SqlStatement } from "./transaction.ts";

/**
 * One thing done to many rows: PostgreSQL gets it as one statement whose text does not depend on their number, SQLite as
 * one prepared statement per row, each being the quickest there.
 *
 * - `insert`: fails when there is a row with the same primary key
 * - `insertMissing`: inserts, and leaves alone what has the same primary key
 * - `upsert`: inserts, and replaces what has the same primary key
 * - `add`: inserts, and adds the count to that of what has the same primary key
 * - `delete`: by primary key
 * - `select`: whole rows, by the columns of `rows`; `lock` keeps others from changing them until the commit
 */
export interface BulkStatement {
  readonly table: TableName;
  readonly action: "insert" | "insertMissing" | "upsert" | "add" | "delete" | "select";
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
  readonly lock?: boolean;
}

export function insertRows<T extends TableName>(table: T, rows: readonly RowOf<T>[]): BulkStatement {
  return { ...upsertRows(table, rows), action: "insert" };
}

export function insertMissingRows<T extends TableName>(table: T, rows: readonly RowOf<T>[]): BulkStatement {
  return { ...upsertRows(table, rows), action: "insertMissing" };
}

export function upsertRows<T extends TableName>(table: T, rows: readonly RowOf<T>[]): BulkStatement {
  return { table, action: "upsert", columns: Object.keys(tables[table].columns), rows };
}

export function addCounts(table: "object_counts", rows: readonly RowOf<"object_counts">[]): BulkStatement {
  return { ...upsertRows(table, rows), action: "add" };
}

export function deleteRows<T extends TableName>(table: T, rows: readonly Partial<RowOf<T>>[]): BulkStatement {
  return { table, action: "delete", columns: tables[table].primaryKey, rows: rows.map(withoutUndefined) };
}

export function selectRows<T extends TableName, C extends keyof RowOf<T> & string>(
  table: T,
  by: readonly C[],
  rows: readonly Pick<RowOf<T>, C>[],
): BulkStatement & { readonly table: T } {
  return { table, action: "select", columns: by, rows };
}

type Columns = readonly string[];

/** The statement for one row, and its parameters row by row. */
export function sqliteBulk({ table, action, columns, rows }: BulkStatement): {
  readonly sql: string;
  readonly parameterRows: readonly (readonly (string | number | null)[])[];
} {
  const places = columns.map(() => "?").join(", ");
  const where = columns.map((column) => `${quote(column)} = ?`).join(" and ");
  const insert = `insert into ${quote(table)} (${list(columns)}) values (${places})`;
  const sql = {
    insert,
    insertMissing: `${insert} ${onConflict(table, [])}`,
    upsert: `${insert} ${onConflict(table, columns)}`,
    add: `${insert} ${onConflictAdd(table)}`,
    delete: `delete from ${quote(table)} where ${where}`,
    select: `select * from ${quote(table)} where ${where}`,
  }[action];
  return { sql, parameterRows: rows.map((row) => columns.map((column) => row[column] ?? null)) };
}

/** One statement with an array for each column. */
export function postgresBulk({ table, action, columns, rows, lock = false }: BulkStatement): SqlStatement {
  const types: Readonly<Record<string, { readonly type: string }>> = tables[table].columns;
  const arrays = columns
    .map((column, index) => `$${index + 1}::${types[column]?.type ?? "text"}[]`)
    .join(", ");
  const given = `unnest(${arrays}) as given (${list(columns)})`;
  const same = columns.map((column) => `target.${quote(column)} = given.${quote(column)}`).join(" and ");
  const insert = `insert into ${quote(table)} (${list(columns)}) select * from ${given}`;
  const sql = {
    insert,
    insertMissing: `${insert} ${onConflict(table, [])}`,
    upsert: `${insert} ${onConflict(table, columns)}`,
    add: `${insert} ${onConflictAdd(table)}`,
    delete: `delete from ${quote(table)} as target using ${given} where ${same}`,
    select: `select target.* from ${quote(table)} as target join ${given} on ${same}${lock ? " for update of target" : ""}`,
  }[action];
  return { sql, parameters: columns.map((column) => rows.map((row) => row[column] ?? null)) };
}

function onConflict(table: TableName, columns: Columns): string {
  const key: Columns = tables[table].primaryKey;
  const others = columns.filter((column) => !key.includes(column));
  const update = others.map((column) => `${quote(column)} = excluded.${quote(column)}`).join(", ");
  return `on conflict (${list(key)}) do ${update === "" ? "nothing" : `update set ${update}`}`;
}

function onConflictAdd(table: TableName): string {
  const count = `${quote(table)}."count" + excluded."count"`;
  return `on conflict (${list(tables[table].primaryKey)}) do update set "count" = ${count}`;
}

function withoutUndefined(row: Readonly<Record<string, string | number | null | undefined>>) {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value ?? null]));
}

/** Tables and columns come from `tables.ts` and need no escaping; some of their names are words of SQL. */
function quote(name: string): string {
  return `"${name}"`;
}

function list(columns: Columns): string {
  return columns.map(quote).join(", ");
}
