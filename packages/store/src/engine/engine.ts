import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type RawBuilder,
} from "kysely";

import type { DatabaseUse } from "./data-folder-lock.ts";
import type { LongMode, LongTransaction } from "./long-transaction.ts";
import type { Transaction } from "./transaction.ts";
import type { Database } from "./tables.ts";

/** A database that runs transactions. */
export interface Engine {
  readonly dialect: Dialect;
  /** Builds queries in the words of this database; it cannot run them. */
  readonly queries: Kysely<Database>;
  /** Runs a transaction that is a single statement and only reads. */
  read<T>(transaction: () => Transaction<T>): Promise<T>;
  /** Runs a transaction that sees the database as it was at one moment. */
  readSnapshot<T>(transaction: () => Transaction<T>): Promise<T>;
  /**
   * Runs a transaction that writes, and again when the database asks for it. When it resolves, what was written is on
   * disk.
   */
  commit<T>(transaction: () => Transaction<T>, options?: CommitOptions): Promise<T>;
  /** Begins a transaction that may take minutes; the caller closes it. */
  openLong(mode: LongMode): Promise<LongTransaction>;
  /** Of a database that this process has for itself; undefined where others may work on it. */
  readonly use?: DatabaseUse | undefined;
  /** The time by the clock that all replicas share, in milliseconds since 1970. */
  nowMs(): RawBuilder<number>;
  /** Waits for transactions under way; later ones are refused with `DatabaseUnavailable`. */
  close(): Promise<void>;
}

export interface CommitOptions {
  /** The longest a statement may take, where the usual limit is too short. */
  readonly timeoutMs?: number;
  /** The transaction is one statement, which needs no `begin` and `commit`: two round trips less. */
  readonly isOneStatement?: boolean;
}

export type Dialect = "sqlite" | "postgres";

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
