import { DatabaseSync, type StatementSync } from "node:sqlite";

import { BowlineError, type Clock } from "@bowline/core";
import { sql, type RawBuilder } from "kysely";

import { sqliteBulk } from "./bulk-statement.ts";
import { DataFolderLock, type DatabaseUse } from "./data-folder-lock.ts";
import { createQueryBuilder, type Engine } from "./engine.ts";
import type { LongMode, LongTransaction } from "./long-transaction.ts";
import type { Transaction, Row, Statement } from "./transaction.ts";
import { sqliteError } from "./sqlite-error.ts";
import { SqliteLongTransaction } from "./sqlite-long-transaction.ts";
import { toSqlite } from "./sqlite-value.ts";

export interface SqliteOptions {
  /** Path of the database file, or `:memory:`. */
  readonly file: string;
  readonly clock: Pick<Clock, "now">;
}

interface PendingTransaction {
  /** Runs within the open transaction; what it returns is to be called once that is decided. */
  readonly run: () => () => void;
  readonly reject: (error: Error) => void;
}

/** Queries with filters come in many shapes; a statement holds memory outside of the heap. */
const maxStatements = 256;

/**
 * SQLite in this process. All work runs on one connection and without a break, so that a snapshot needs no transaction.
 *
 * Transactions that write are gathered for one turn of the event loop and committed together: the flush to disk, which is
 * most of the cost of a small write, is paid once for all of them. A savepoint keeps each apart from the others.
 */
export class SqliteEngine implements Engine {
  readonly dialect = "sqlite";
  readonly queries = createQueryBuilder("sqlite");
  readonly #file: string;
  readonly #clock: Pick<Clock, "now">;
  readonly #lock: DataFolderLock | undefined;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #pending: PendingTransaction[] = [];
  #isReading = false;
  #isClosed = false;

  /** `DataFolderLocked` when another process has the database. */
  constructor({ file, clock }: SqliteOptions) {
    this.#file = file;
    this.#clock = clock;
    this.#lock = file === ":memory:" ? undefined : new DataFolderLock(`${file}.lock`);
    try {
      this.#database = openDatabase(file);
    } catch (error) {
      this.#lock?.release();
      throw sqliteError(error);
    }
  }

  read<T>(transaction: () => Transaction<T>): Promise<T> {
    return this.readSnapshot(transaction);
  }

  // oxlint-disable-next-line typescript/require-await -- what it throws has to become a rejection
  async readSnapshot<T>(transaction: () => Transaction<T>): Promise<T> {
    this.#requireOpen();
    this.#beginReads();
    return this.#run(transaction());
  }

  async commit<T>(transaction: () => Transaction<T>): Promise<T> {
    this.#requireOpen();
    return new Promise((resolve, reject) => {
      const run = (): (() => void) => {
        const result = this.#run(transaction());
        return () => resolve(result);
      };
      this.#pending.push({ run, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#commitPending());
    });
  }

  // oxlint-disable-next-line typescript/require-await -- what it throws has to become a rejection
  async openLong(mode: LongMode): Promise<LongTransaction> {
    this.#requireOpen();
    if (this.#lock === undefined) {
      throw new BowlineError("InvalidArgument", "A database in memory has one connection only.");
    }
    return new SqliteLongTransaction(this.#file, mode);
  }

  get use(): DatabaseUse | undefined {
    return this.#lock;
  }

  nowMs(): RawBuilder<number> {
    return sql.val(this.#clock.now());
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#commitPending();
    this.#endReads();
    this.#isClosed = true;
    this.#statements.clear();
    this.#database.close();
    this.#lock?.release();
    return Promise.resolve();
  }

  #commitPending(): void {
    const transactions = this.#pending;
    this.#pending = [];
    if (transactions.length === 0) return;
    try {
      this.#endReads();
      this.#database.exec("begin immediate");
      const decided = transactions.map((pending) => this.#runApart(pending));
      this.#database.exec("commit");
      for (const settle of decided) settle();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      for (const { reject } of transactions) reject(sqliteError(error));
    }
  }

  /**
   * All reads of one turn of the event loop are one transaction. Locking the file and letting go of it again takes as
   * long as a small read, and nobody else writes meanwhile.
   */
  #beginReads(): void {
    if (this.#isReading) return;
    this.#prepared("begin").run();
    this.#isReading = true;
    setImmediate(() => this.#endReads());
  }

  #endReads(): void {
    this.#isReading = false;
    if (this.#database.isOpen && this.#database.isTransaction) this.#prepared("commit").run();
  }

  #runApart({ run, reject }: PendingTransaction): () => void {
    this.#database.exec("savepoint one");
    try {
      const settle = run();
      this.#database.exec("release one");
      return settle;
    } catch (error) {
      // Some failures, such as a full disk, end the transaction as a whole.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec("rollback to one; release one");
      return () => reject(sqliteError(error));
    }
  }

  #run<T>(transaction: Transaction<T>): T {
    try {
      let step = transaction.next();
      while (step.done !== true) step = transaction.next(this.#execute(step.value));
      return step.value;
    } catch (error) {
      throw sqliteError(error);
    }
  }

  #execute(statement: Statement): readonly Row[] {
    if (!("rows" in statement)) {
      return this.#prepared(statement.sql).all(...statement.parameters.map(toSqlite));
    }
    const { sql: text, parameterRows } = sqliteBulk(statement);
    const prepared = this.#prepared(text);
    if (statement.action === "select")
      return parameterRows.flatMap((parameters) => prepared.all(...parameters));
    for (const parameters of parameterRows) prepared.run(...parameters);
    return [];
  }

  #prepared(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const [oldest] = this.#statements.keys();
    if (this.#statements.size >= maxStatements && oldest !== undefined) this.#statements.delete(oldest);
    const prepared = this.#database.prepare(text);
    this.#statements.set(text, prepared);
    return prepared;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new BowlineError("DatabaseUnavailable", "The database has been closed.");
  }
}

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true });
  // FULL: a write that was acknowledged outlives a loss of power, not only the end of this process.
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory;");
  return database;
}
