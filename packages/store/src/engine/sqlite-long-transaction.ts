import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";

import { sqliteBulk } from "./bulk-statement.ts";
import {
  batchLength,
  maxBatchRows,
  rowLength,
  type LongMode,
  type LongTransaction,
} from "./long-transaction.ts";
import { sqliteError } from "./sqlite-error.ts";
import { toSqlite } from "./sqlite-value.ts";
import type { Row, SqlStatement, Statement } from "./transaction.ts";

/**
 * With the log before the file that SQLite writes, a reader holds up no writer: it goes on seeing the file as it was. The
 * log cannot be cut for as long.
 */
export class SqliteLongTransaction implements LongTransaction {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, mode: LongMode) {
    try {
      this.#database = new DatabaseSync(file, {
        readOnly: mode === "read",
        timeout: 5_000,
        enableForeignKeyConstraints: true,
      });
      this.#begin(mode);
    } catch (error) {
      throw sqliteError(error);
    }
  }

  async *rows({ sql, parameters }: SqlStatement): AsyncGenerator<readonly Row[], void, undefined> {
    const found = this.#prepared(sql).iterate(...parameters.map(toSqlite));
    let batch: Row[] = [];
    let length = 0;
    try {
      for (const row of found) {
        batch.push(row);
        length += rowLength(row);
        if (length < batchLength && batch.length < maxBatchRows) continue;
        yield batch;
        batch = [];
        length = 0;
        // Reading is done in this thread: others get their turn.
        await turn();
      }
    } catch (error) {
      throw sqliteError(error);
    }
    if (batch.length > 0) yield batch;
  }

  // oxlint-disable-next-line typescript/require-await -- what it throws has to become a rejection
  async run(statement: Statement): Promise<readonly Row[]> {
    try {
      if (!("rows" in statement)) {
        return this.#prepared(statement.sql).all(...statement.parameters.map(toSqlite));
      }
      const { sql, parameterRows } = sqliteBulk(statement);
      const prepared = this.#prepared(sql);
      for (const parameters of parameterRows) prepared.run(...parameters);
      return [];
    } catch (error) {
      throw sqliteError(error);
    }
  }

  // oxlint-disable-next-line typescript/require-await -- what it throws has to become a rejection
  async commit(): Promise<void> {
    try {
      this.#database.exec("commit");
    } catch (error) {
      throw sqliteError(error);
    }
  }

  /** SQLite takes back what was not committed when the connection is closed. */
  close(): Promise<void> {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
    return Promise.resolve();
  }

  #begin(mode: LongMode): void {
    try {
      this.#database.exec("pragma synchronous = full; pragma temp_store = memory;");
      this.#database.exec(mode === "write" ? "begin immediate" : "begin");
      // What it sees is settled by its first read.
      this.#database.prepare("select count(*) from sqlite_master").get();
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #prepared(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(text);
    this.#statements.set(text, prepared);
    return prepared;
  }
}
