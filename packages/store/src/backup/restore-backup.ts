import type { Readable } from "node:stream";

import { BowlineError, type Clock } from "@bowline/core";

import type { Dialect, Engine } from "../engine/engine.ts";
import type { LongTransaction } from "../engine/long-transaction.ts";
import type { SqlStatement } from "../engine/transaction.ts";
import { migrations } from "../schema/migrations.ts";
import { Migrator } from "../schema/migrator.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { damaged, type BackupHeader, type BackupTrailer } from "./backup-format.ts";
import { readBackup, readHeader, verifyBackup, type BackupRows } from "./read-backup.ts";
import { KeyCheck } from "./sealed-values.ts";

export interface RestoreOptions {
  readonly engine: Engine;
  /** Opens the backup; it is read twice. */
  readonly open: () => Readable;
  readonly keys: KeyRing;
  readonly clock: Pick<Clock, "now">;
  /** Is told how many rows have been put in. */
  readonly onProgress?: (rows: number) => void;
}

export interface RestoredBackup {
  readonly header: BackupHeader;
  readonly trailer: BackupTrailer;
}

/**
 * How far the numbers of changes jump. After the backup was made the server went on, and gave out numbers that are in
 * nobody's log any more: no new change may have one of them, and whoever has seen one has to list anew. More changes than
 * anybody makes between two backups.
 */
export const revisionJump = 1_000_000_000;

/**
 * Puts a backup into an empty database. All of it is read and its keys are tried before anything is written; what is
 * written is one transaction: whatever ends it leaves an empty database, and it can be begun again. Migrations that are
 * newer than the backup come after it.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { engine, open, clock } = options;
  const header = await readHeader(open());
  requireKnownSchema(header);
  requireLaterClock(header, clock.now());
  requireKeys(header, options.keys);
  const check = new KeyCheck(options.keys);
  await verifyBackup(open(), (table, row) => check.row(table, row));

  const migrator = new Migrator(engine, () => clock.now());
  await requireEmpty(engine, migrator);
  const last = header.migrations.at(-1);
  if (last === undefined) throw damaged();
  await migrator.to(last);
  const trailer = await writeRows(options, header);
  await migrator.up();
  return { header, trailer };
}

function requireKnownSchema({ migrations: names, version }: BackupHeader): void {
  const known = migrations.map(({ name }) => name);
  if (names.every((name, index) => name === known[index])) return;
  throw new BowlineError(
    "MigrationFailed",
    `The backup was made by Bowline ${version.slice(0, 64)}, whose tables this version does not know; restore it with that version or a newer one.`,
  );
}

/** Leases are told apart by time: the old ones must not come again. */
function requireLaterClock({ createdAt }: BackupHeader, nowMs: number): void {
  if (nowMs >= Date.parse(createdAt)) return;
  throw new BowlineError(
    "InvalidArgument",
    `The backup was made at ${createdAt}, and the clock of this machine says that it is ${new Date(nowMs).toISOString()}; set the clock first.`,
  );
}

function requireKeys({ encryptionKeys }: BackupHeader, keys: KeyRing): void {
  const missing = encryptionKeys.filter((id) => !keys.has(id));
  if (missing.length === 0) return;
  const named = missing.map((id) => `"${id.slice(0, 64)}"`).join(", ");
  throw new BowlineError(
    "DecryptionFailed",
    `The backup needs the encryption ${missing.length === 1 ? "key" : "keys"} ${named}, which this server does not have.`,
  );
}

/** Nobody's objects are overwritten, or mixed with those of a backup. */
async function requireEmpty(engine: Engine, migrator: Migrator): Promise<void> {
  const applied = new Set(
    (await migrator.status()).flatMap(({ name, appliedAt }) => (appliedAt ? [name] : [])),
  );
  if (applied.size === 0) return;
  const long = await engine.openLong("read");
  try {
    await requireNoRows(long, applied);
  } finally {
    await long.close();
  }
}

async function requireNoRows(long: LongTransaction, applied: ReadonlySet<string>): Promise<void> {
  const tables = ["objects", ...(applied.has("0002-installation") ? ["installation"] : [])];
  for (const table of tables) {
    const [found] = await long.run({ sql: `select 1 as found from ${table} limit 1`, parameters: [] });
    if (found === undefined) continue;
    throw new BowlineError(
      "AlreadyExists",
      "The database is not empty: a server has used it. Restore into an empty one: name another data folder with --data, or another database with --database-url-file; what is there stays as it is.",
    );
  }
}

async function writeRows(
  { engine, open, clock, onProgress }: RestoreOptions,
  header: BackupHeader,
): Promise<BackupTrailer> {
  const long = await engine.openLong("write");
  const bytes = open();
  try {
    const { rows } = await readBackup(bytes);
    await lockSchema(long, engine.dialect, header);
    const trailer = await insertAll(long, engine.dialect, rows, onProgress);
    await jumpAhead(long);
    await forgetReports(long, clock.now());
    await long.commit();
    return trailer;
  } finally {
    bytes.destroy();
    await long.close();
  }
}

/** A server that starts meanwhile waits for the same row; one that was quicker has made the schema a newer one. */
async function lockSchema(
  long: LongTransaction,
  dialect: Dialect,
  { migrations: names }: BackupHeader,
): Promise<void> {
  const lock = dialect === "postgres" ? " for update" : "";
  await long.run({ sql: `select id from migration_lock where id = 1${lock}`, parameters: [] });
  const applied = await long.run({ sql: "select name from migrations order by name", parameters: [] });
  const isSame =
    applied.length === names.length && applied.every((row, index) => row["name"] === names[index]);
  if (!isSame) {
    throw new BowlineError(
      "Conflict",
      "A server has begun to use the database; stop it, and restore into an empty one.",
    );
  }
  await requireNoRows(long, new Set(names));
}

async function insertAll(
  long: LongTransaction,
  dialect: Dialect,
  batches: AsyncGenerator<BackupRows, BackupTrailer, undefined>,
  onProgress: RestoreOptions["onProgress"],
): Promise<BackupTrailer> {
  let last: string | undefined;
  for (let count = 0; ;) {
    const next = await batches.next();
    if (next.done === true) return next.value;
    const { table, rows } = next.value;
    // A database without objects still has what migrations have put there, and how its objects would be indexed.
    if (table.table !== last) await long.run({ sql: `delete from "${table.table}"`, parameters: [] });
    last = table.table;
    for (const statement of insertsOf(dialect, next.value)) await long.run(statement);
    count += rows.length;
    onProgress?.(count);
  }
}

/** Tables and columns may be those of an older version, so that they are not looked up in `tables.ts`. */
function insertsOf(dialect: Dialect, { table: { table, columns }, rows }: BackupRows): SqlStatement[] {
  const names = columns.map(([name]) => `"${name}"`).join(", ");
  const insert = `insert into "${table}" (${names})`;
  if (dialect === "sqlite") {
    const sql = `${insert} values (${columns.map(() => "?").join(", ")})`;
    return rows.map((parameters) => ({ sql, parameters }));
  }
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ");
  const parameters = columns.map((_, index) => rows.map((row) => row[index]));
  return [{ sql: `${insert} select * from unnest(${arrays})`, parameters }];
}

/** Agents find that their epochs are over, begin new ones, and report everything they see. */
async function forgetReports(long: LongTransaction, nowMs: number): Promise<void> {
  const nothing = "instance = '', sequence = 0, complete = 0, resources = 0, facts_size = 0";
  const noHistory = `compacted = change, history_size = 0, history_from = ${Math.floor(nowMs)}`;
  await long.run({ sql: `update report_cursors set ${nothing}, ${noHistory}`, parameters: [] });
}

/** What was logged is forgotten with the same step: whoever follows a log is told to list anew. */
async function jumpAhead(long: LongTransaction): Promise<void> {
  const sql = `update store_state set revision = revision + ${revisionJump}, compacted = revision + ${revisionJump}`;
  await long.run({ sql, parameters: [] });
}
