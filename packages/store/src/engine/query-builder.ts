import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

import type { Database } from "../schema/tables.ts";
import type { Dialect } from "./engine.ts";

/**
 * Kysely as a typed builder of SQL that runs nothing. Its own drivers are asynchronous by nature; a transaction on
 * SQLite has to run without a break, because other work on the connection would become part of it.
 */
export function createQueryBuilder(dialect: Dialect): Kysely<Database> {
  const parts = {
    sqlite: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    postgres: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  };
  return new Kysely<Database>({ dialect: parts[dialect] });
}
