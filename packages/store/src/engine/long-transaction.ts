import type { Row, SqlStatement, Statement } from "./transaction.ts";

/**
 * A transaction on a connection of its own that lasts as long as it takes, while others work on the database. One that
 * reads sees everything as it was at one moment.
 */
export interface LongTransaction {
  /** The rows of a query in batches, each read when the one before has been taken. */
  rows(query: SqlStatement): AsyncGenerator<readonly Row[], void, undefined>;
  run(statement: Statement): Promise<readonly Row[]>;
  commit(): Promise<void>;
  /** Takes back what was not committed, and lets go of the connection. */
  close(): Promise<void>;
}

export type LongMode = "read" | "write";

/** What a batch should have, in characters: whether that is one large row or a thousand small ones. */
export const batchLength = 256 * 1_024;
export const maxBatchRows = 1_000;

/** Roughly what a row takes in memory. */
export function rowLength(row: Row): number {
  let length = 0;
  for (const value of Object.values(row)) length += typeof value === "string" ? value.length : 8;
  return length;
}
