import type { Client } from "pg";

import { postgresBulk } from "./bulk-statement.ts";
import {
  batchLength,
  maxBatchRows,
  rowLength,
  type LongMode,
  type LongTransaction,
} from "./long-transaction.ts";
import { isConnectionLost, postgresError } from "./postgres-error.ts";
import type { Row, SqlStatement, Statement } from "./transaction.ts";

const begins: Readonly<Record<LongMode, string>> = {
  read: "begin isolation level repeatable read read only",
  write: "begin isolation level read committed",
};
/** The size of rows is not known before some of them have been read. */
const firstBatchRows = 20;

/** On a connection of its own, since the pool is for what takes milliseconds. Queries are read through cursors. */
export class PostgresLongTransaction implements LongTransaction {
  readonly #client: Client;
  #cursors = 0;
  #isOver = false;

  /** The client is not connected yet, and belongs to the transaction from here on. */
  static async open(client: Client, mode: LongMode): Promise<PostgresLongTransaction> {
    // A connection that breaks tells it by the next statement.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query(begins[mode]);
      return new PostgresLongTransaction(client);
    } catch (error) {
      await client.end().catch(() => {});
      throw postgresError(error);
    }
  }

  private constructor(client: Client) {
    this.#client = client;
  }

  async *rows({ sql, parameters }: SqlStatement): AsyncGenerator<readonly Row[], void, undefined> {
    this.#cursors += 1;
    const cursor = `long_${this.#cursors}`;
    await this.#query(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
    for (let count = firstBatchRows; ;) {
      const batch = await this.#query(`fetch forward ${count} from ${cursor}`, []);
      if (batch.length > 0) yield batch;
      if (batch.length < count) break;
      const length = batch.reduce((sum, row) => sum + rowLength(row), 0);
      const fitting = Math.floor((batch.length * batchLength) / Math.max(length, 1));
      count = Math.min(Math.max(fitting, 1), maxBatchRows);
    }
    await this.#query(`close ${cursor}`, []);
  }

  async run(statement: Statement): Promise<readonly Row[]> {
    const { sql, parameters } = "rows" in statement ? postgresBulk(statement) : statement;
    return this.#query(sql, parameters);
  }

  async commit(): Promise<void> {
    await this.#query("commit", []);
    this.#isOver = true;
  }

  async close(): Promise<void> {
    if (!this.#isOver) await this.#client.query("rollback").catch(() => {});
    await this.#client.end().catch(() => {});
  }

  async #query(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      return (await this.#client.query<Row>({ text, values: [...values] })).rows;
    } catch (error) {
      if (isConnectionLost(error)) this.#isOver = true;
      throw postgresError(error);
    }
  }
}
