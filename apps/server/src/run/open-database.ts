import { closeSync, openSync } from "node:fs";

import {
  backoffDelayMs,
  BowlineError,
  hasCode,
  type BackoffPolicy,
  type Clock,
  type Logger,
} from "@bowline/core";
import { openStore, type DatabaseOptions, type EncryptionKey, type Store } from "@bowline/store";

import type { ServerConfig } from "../config/server-config.ts";
import type { DataFolder } from "../data-folder/data-folder.ts";
import { openKeysFile, readKeysFile, removeKeysFile } from "../data-folder/encryption-keys-file.ts";

export interface OpenDatabaseOptions {
  readonly config: ServerConfig;
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const retryBackoff: BackoffPolicy = { baseMs: 250, maxMs: 5_000, factor: 2, jitter: 0.2 };
const keyCheck = { name: "key-check", value: "These are the right keys." } as const;

export function databaseOptions({ database }: ServerConfig, folder: DataFolder): DatabaseOptions {
  return database.url === undefined
    ? { type: "sqlite", file: folder.database }
    : { type: "postgres", url: database.url, maxConnections: database.connections };
}

/** Opens the store with the keys of this server, and makes sure that they are the ones the database was encrypted with. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Store> {
  const { config, folder, clock } = options;
  const given = config.encryption.keysFile;
  const file = given ?? folder.encryptionKeys;
  const { keys, isNew } =
    given === undefined
      ? await openKeysFile(file, clock.now())
      : { keys: await readKeysFile(given), isNew: false };
  const store = await openPatiently(options, keys);
  try {
    await requireRightKeys(store, file);
    return store;
  } catch (error) {
    await store.close();
    // A key that fits nothing would only puzzle whoever finds it there.
    if (isNew) await removeKeysFile(file);
    throw error;
  }
}

/** SQLite gives the files beside it the same permissions. */
export function openPrivately(database: DatabaseOptions): DatabaseOptions {
  if (database.type === "sqlite") closeSync(openSync(database.file, "a", 0o600));
  return database;
}

/** PostgreSQL may be starting at the same time as this server: it gets a while. */
async function openPatiently(options: OpenDatabaseOptions, keys: readonly EncryptionKey[]): Promise<Store> {
  const { config, folder, clock, logger, signal } = options;
  const { url, wait: waitMs } = config.database;
  const endsMs = clock.monotonicMs() + waitMs;
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const database = openPrivately(databaseOptions(config, folder));
      return await openStore({ database, encryptionKeys: keys, clock });
    } catch (thrown) {
      if (url === undefined) throw thrown;
      const error = databaseFailure(thrown, url);
      const leftMs = endsMs - clock.monotonicMs();
      if (!isUnavailable(error) || leftMs <= 0) throw error;
      logger.warn({ err: error, trySeconds: Math.ceil(leftMs / 1_000) }, "Waiting for the database");
      await clock.sleep(Math.min(leftMs, backoffDelayMs(attempt, retryBackoff, Math.random)), signal);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return hasCode(error, "DatabaseUnavailable");
}

/** The first server writes a text that only its keys can read; all later ones have to be able to. */
async function requireRightKeys({ installation }: Store, file: string): Promise<void> {
  try {
    await installation.remember(keyCheck.name, keyCheck.value);
  } catch (error) {
    if (!(error instanceof BowlineError) || error.code !== "DecryptionFailed") throw error;
    throw new BowlineError(
      "DecryptionFailed",
      `The database was encrypted with other keys than those in ${file}; copy the file from a server that uses this database, or name it with --encryption-keys-file.`,
      { cause: error },
    );
  }
}

/** Codes of PostgreSQL for a login it does not accept, a database that is not there, and a missing right. */
const loginRefused: ReadonlySet<string> = new Set(["28P01", "28000"]);
const noDatabase = "3D000";
const forbidden = "42501";

/** Why PostgreSQL could not be opened, with what to do about it; what has nothing to do with it passes unchanged. */
export function databaseFailure(thrown: unknown, url: string): unknown {
  const where = databaseAddress(url);
  const codes = codesOf(thrown);
  const has = (code: string): boolean => codes.includes(code);
  if (codes.some((code) => loginRefused.has(code))) {
    return refused(
      `PostgreSQL at ${where} does not accept the user or the password of --database-url.`,
      thrown,
    );
  }
  if (has(noDatabase)) {
    return refused(`There is no such database at ${where}; create it, or correct --database-url.`, thrown);
  }
  if (has(forbidden)) {
    return refused(`The user of --database-url may not make tables in the database at ${where}.`, thrown);
  }
  if (hasCode(thrown, "DatabaseUnavailable")) {
    const why = codes.at(-1);
    return new BowlineError(
      "DatabaseUnavailable",
      `PostgreSQL at ${where} cannot be reached${why === undefined ? "" : ` (${why})`}; start it, or correct --database-url.`,
      { cause: thrown },
    );
  }
  return thrown;
}

function refused(message: string, cause: unknown): BowlineError {
  return new BowlineError("InvalidArgument", message, { cause });
}

/** Host, port and database: what can be shown. */
export function databaseAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host === "" ? "localhost" : host}${pathname}`;
}

/** The codes of what an error was caused by, the first cause last. */
function codesOf(thrown: unknown): string[] {
  const codes: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (!(error instanceof BowlineError) && "code" in error) codes.push(String(error.code));
  }
  return codes;
}
