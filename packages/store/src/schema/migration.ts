import { createHash } from "node:crypto";

import { sql, type Compilable, type Kysely, type RawBuilder, type SchemaModule } from "kysely";

import type { Dialect } from "../engine/engine.ts";
import type { SqlStatement } from "../engine/transaction.ts";
import type { Database } from "../engine/tables.ts";

/** One step of the schema. Once released it never changes; its checksum is compared with what was applied. */
export interface Migration {
  /** Begins with a number; migrations are applied in this order. */
  readonly name: string;
  readonly up: (words: MigrationWords) => readonly Compilable[];
  readonly down: (words: MigrationWords) => readonly Compilable[];
}

/** The words that migrations are written with; they differ where the databases do. */
export interface MigrationWords {
  readonly schema: SchemaModule;
  readonly queries: Kysely<Database>;
  readonly types: { readonly text: RawBuilder<unknown>; readonly integer: RawBuilder<unknown> };
  /** A field of the JSON in a column, as text. */
  readonly jsonField: (column: string, field: string) => RawBuilder<string | null>;
  /** Closes a table. */
  readonly tableEnd: RawBuilder<unknown>;
  /** Closes a table that is kept in the order of its primary key, where the database can. */
  readonly clusteredEnd: RawBuilder<unknown>;
}

export interface CompiledMigration {
  readonly name: string;
  readonly checksum: string;
  readonly up: readonly SqlStatement[];
  readonly down: readonly SqlStatement[];
}

export function compileMigration(
  migration: Migration,
  dialect: Dialect,
  queries: Kysely<Database>,
): CompiledMigration {
  const words = { schema: queries.schema, queries, ...dialectWords[dialect] };
  const up = migration.up(words).map(compile);
  const down = migration.down(words).map(compile);
  const text = up.map((statement) => JSON.stringify([statement.sql, statement.parameters])).join("\n");
  const checksum = createHash("sha256").update(text).digest("hex");
  return { name: migration.name, checksum, up, down };
}

function compile(statement: Compilable): SqlStatement {
  const { sql: text, parameters } = statement.compile();
  return { sql: text, parameters };
}

const dialectWords = {
  sqlite: {
    types: { text: sql`text`, integer: sql`integer` },
    jsonField: (column, field) => sql`${sql.ref(column)} ->> ${sql.lit(field)}`,
    tableEnd: sql`strict`,
    clusteredEnd: sql`strict, without rowid`,
  },
  postgres: {
    // Bytes compare alike everywhere; the order of a locale depends on the machine and on its updates.
    types: { text: sql`text collate "C"`, integer: sql`bigint` },
    jsonField: (column, field) => sql`${sql.ref(column)}::json ->> ${sql.lit(field)}`,
    tableEnd: sql``,
    clusteredEnd: sql``,
  },
} as const satisfies Record<Dialect, Omit<MigrationWords, "schema" | "queries">>;
