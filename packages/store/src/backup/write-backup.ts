import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";

import { BowlineError } from "@bowline/core";

import type { Engine } from "../engine/engine.ts";
import type { LongTransaction } from "../engine/long-transaction.ts";
import { tables, type TableName } from "../engine/tables.ts";
import type { Row } from "../engine/transaction.ts";
import { logIds } from "../log/log-state.ts";
import { migrations } from "../schema/migrations.ts";
import {
  backupFormat,
  newHeader,
  type BackupHeader,
  type BackupTable,
  type BackupTrailer,
} from "./backup-format.ts";
import { backupTables, rowConditions } from "./backup-tables.ts";
import { keyIdsUsed } from "./sealed-values.ts";

export interface BackupOptions {
  /** Of Bowline. */
  readonly version: string;
  /** Names the installation. */
  readonly installation: string;
  /** Whether the audit log and the events are in it. */
  readonly history: boolean;
  readonly nowMs: number;
  /** Is told when the last row has been read. */
  readonly onEnd?: (trailer: BackupTrailer) => void;
}

/**
 * The database as it is at this moment, as bytes of a backup. They are made as they are read; others go on writing
 * meanwhile. Whoever does not read to the end destroys the stream.
 */
export async function writeBackup(engine: Engine, options: BackupOptions): Promise<Readable> {
  const snapshot = await engine.openLong("read");
  try {
    const header = await headerOf(engine, snapshot, options);
    const chunks = Readable.from(closing(snapshot, texts(snapshot, header, options)), {
      objectMode: true,
      // One is made ahead: the reader decides how fast it goes.
      highWaterMark: 1,
    });
    const compressed = createGzip();
    // A failure reaches the reader by the stream it reads.
    return pipeline(chunks, compressed, () => {});
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

async function* closing<T>(snapshot: LongTransaction, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    await snapshot.close();
  }
}

async function* texts(
  snapshot: LongTransaction,
  header: BackupHeader,
  { history, nowMs, onEnd }: BackupOptions,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const hashed = (text: string): string => {
    hash.update(text);
    return text;
  };
  const counts: Record<string, number> = {};
  yield hashed(lineOf(header));
  for (const table of backupTables({ history })) {
    const head = tableHead(table);
    const names = head.columns.map(([name]) => name);
    counts[table] = 0;
    yield hashed(lineOf(head));
    for await (const rows of snapshot.rows({ sql: selectOf(table, names, nowMs), parameters: [] })) {
      counts[table] += rows.length;
      yield hashed(rows.map((row) => lineOf(names.map((name) => row[name]))).join(""));
    }
  }
  const trailer: BackupTrailer = { end: backupFormat, rows: counts, sha256: hash.digest("hex") };
  yield lineOf(trailer);
  onEnd?.(trailer);
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function tableHead(table: TableName): BackupTable {
  return {
    table,
    columns: Object.entries(tables[table].columns).map(([name, { type }]) => [name, type] as const),
  };
}

function selectOf(table: TableName, columns: readonly string[], nowMs: number): string {
  const condition = rowConditions[table]?.(nowMs);
  const select = `select ${columns.map((name) => `"${name}"`).join(", ")} from "${table}"`;
  return condition === undefined ? select : `${select} where ${condition}`;
}

async function headerOf(
  { dialect }: Engine,
  snapshot: LongTransaction,
  { version, installation, history, nowMs }: BackupOptions,
): Promise<BackupHeader> {
  const applied = textsOf(await snapshot.run(query("select name from migrations order by name")), "name");
  requireOwnSchema(applied);
  const [state] = await snapshot.run(query(`select revision from store_state where id = ${logIds.changes}`));
  return newHeader({
    version,
    migrations: applied,
    installation,
    engine: dialect,
    createdAt: new Date(nowMs).toISOString(),
    revision: Number(state?.["revision"] ?? 0),
    history,
    encryptionKeys: await keyIdsUsed(snapshot),
  });
}

/** During an upgrade a newer replica may have changed the tables already; what it added would be missing. */
function requireOwnSchema(applied: readonly string[]): void {
  const newest = migrations.at(-1)?.name;
  if (applied.at(-1) === newest) return;
  throw new BowlineError(
    "PreconditionFailed",
    "A newer version of Bowline has changed the database already; make the backup when every replica has that version.",
  );
}

function query(sql: string) {
  return { sql, parameters: [] };
}

function textsOf(rows: readonly Row[], column: string): string[] {
  return rows.map((row) => String(row[column]));
}
