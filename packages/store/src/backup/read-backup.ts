import { createHash, type Hash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";

import { codeOf, isRecord, type BowlineError } from "@bowline/core";

import type { Row } from "../engine/transaction.ts";
import {
  damaged,
  invalid,
  maxLineBytes,
  parseHeader,
  parseJson,
  parseRow,
  parseTable,
  parseTrailer,
  type BackupHeader,
  type BackupTable,
  type BackupTrailer,
  type Cell,
} from "./backup-format.ts";
import { isBackedUp } from "./backup-tables.ts";

/** Rows of one table. */
export interface BackupRows {
  readonly table: BackupTable;
  readonly rows: readonly (readonly Cell[])[];
}

export interface BackupContents {
  readonly header: BackupHeader;
  /**
   * All rows, a batch at a time, in their order. It ends when the trailer has been read and fits what came before it;
   * else it throws `BackupInvalid`.
   */
  readonly rows: AsyncGenerator<BackupRows, BackupTrailer, undefined>;
}

const batchRows = 500;
const batchBytes = 256 * 1_024;
/** Some lines in each chunk, so that most are not copied. */
const chunkSize = 64 * 1_024;
const newline = 0x0a;

/** Opens a backup by its compressed bytes. Whoever does not read its rows to the end destroys those. */
export async function readBackup(bytes: Readable): Promise<BackupContents> {
  const unpacked = pipeline(bytes, createGunzip({ chunkSize }), () => {});
  const lines = linesOf(unpacked);
  try {
    const first = await lines.next();
    if (first.done === true) throw invalid("The backup is empty.");
    const hash = createHash("sha256");
    hash.update(first.value);
    return { header: parseHeader(textOf(first.value)), rows: rowsOf(lines, hash) };
  } catch (error) {
    bytes.destroy();
    throw readError(error);
  }
}

/** Reads its first line, and nothing else. */
export async function readHeader(bytes: Readable): Promise<BackupHeader> {
  try {
    return (await readBackup(bytes)).header;
  } finally {
    bytes.destroy();
  }
}

/** Reads all of it. */
export async function verifyBackup(
  bytes: Readable,
  onRow?: (table: string, row: Row) => void,
): Promise<{ readonly header: BackupHeader; readonly trailer: BackupTrailer }> {
  const { header, rows } = await readBackup(bytes);
  for (;;) {
    const next = await rows.next();
    if (next.done === true) return { header, trailer: next.value };
    if (onRow === undefined) continue;
    const { table, rows: cells } = next.value;
    for (const row of cells) onRow(table.table, namedRow(table, row));
  }
}

function namedRow({ columns }: BackupTable, cells: readonly Cell[]): Row {
  return Object.fromEntries(columns.map(([name], index) => [name, cells[index]]));
}

async function* rowsOf(
  lines: AsyncGenerator<Buffer>,
  hash: Hash,
): AsyncGenerator<BackupRows, BackupTrailer, undefined> {
  const counts: Record<string, number> = {};
  let table: BackupTable | undefined;
  let rows: Cell[][] = [];
  let bytes = 0;
  try {
    for await (const line of lines) {
      const value = parseJson(textOf(line));
      if (Array.isArray(value)) {
        if (table === undefined) throw damaged();
        rows.push(parseRow(value, table));
        bytes += line.length;
        counts[table.table] = (counts[table.table] ?? 0) + 1;
        hash.update(line);
        if (rows.length < batchRows && bytes < batchBytes) continue;
      }
      if (table !== undefined && rows.length > 0) yield { table, rows };
      rows = [];
      bytes = 0;
      if (Array.isArray(value)) continue;
      if (!isRecord(value)) throw damaged();
      const trailer = parseTrailer(value);
      if (trailer !== undefined) {
        requireSame(trailer, counts, hash.digest("hex"));
        await requireEnd(lines);
        return trailer;
      }
      table = nextTable(value, counts);
      hash.update(line);
    }
  } catch (error) {
    throw readError(error);
  } finally {
    await lines.return(undefined);
  }
  throw cutOff();
}

function nextTable(value: Readonly<Record<string, unknown>>, counts: Record<string, number>): BackupTable {
  const table = parseTable(value);
  if (!isBackedUp(table.table) || Object.hasOwn(counts, table.table)) throw damaged();
  counts[table.table] = 0;
  return table;
}

function requireSame(
  { rows, sha256 }: BackupTrailer,
  counts: Readonly<Record<string, number>>,
  digest: string,
): void {
  const names = new Set([...Object.keys(rows), ...Object.keys(counts)]);
  const isSame = sha256 === digest && [...names].every((name) => rows[name] === counts[name]);
  if (!isSame) throw damaged();
}

async function requireEnd(lines: AsyncGenerator<Buffer>): Promise<void> {
  if ((await lines.next()).done !== true) throw damaged();
}

/** Lines with their ends. No more than one of them, and a chunk, is in memory. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const rest = chunk.subarray(from, end + 1);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > maxLineBytes) throw damaged();
  }
  if (length > 0) throw cutOff();
}

function textOf(line: Buffer): string {
  return line.toString("utf8");
}

function cutOff(cause?: unknown): BowlineError {
  return invalid("The backup ends in the middle: it was not written, or not copied, to its end.", cause);
}

/** What zlib says about bytes that are something else, or not all there. */
function readError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "Z_BUF_ERROR") return cutOff(error);
  if (code?.startsWith("Z_") !== true) return error;
  return invalid("This is no backup of Bowline, or it is damaged.", error);
}
