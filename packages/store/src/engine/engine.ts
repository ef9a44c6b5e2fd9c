import type { Kysely, RawBuilder } from "kysely";

import type { Database } from "../schema/tables.ts";
import type { Program } from "./program.ts";

/** A database that runs programs. */
export interface Engine {
  readonly dialect: Dialect;
  /** Builds queries in the words of this database; it cannot run them. */
  readonly queries: Kysely<Database>;
  /** Runs a program of a single statement. */
  read<T>(program: () => Program<T>): Promise<T>;
  /** Runs a program that sees the database as it was at one moment. */
  readSnapshot<T>(program: () => Program<T>): Promise<T>;
  /**
   * Runs a program in a transaction, and again when the database asks for it. When it resolves, what was written is on
   * disk.
   */
  commit<T>(program: () => Program<T>, options?: CommitOptions): Promise<T>;
  /** The time by the clock that all replicas share, in milliseconds since 1970. */
  nowMs(): RawBuilder<number>;
  /** Waits for programs under way; later ones are refused with `DatabaseUnavailable`. */
  close(): Promise<void>;
}

export interface CommitOptions {
  /** The longest a statement may take, where the usual limit is too short. */
  readonly timeoutMs?: number;
  /** The program is one statement, which is a transaction by itself: two round trips less. */
  readonly isOneStatement?: boolean;
}

export type Dialect = "sqlite" | "postgres";
