import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { connect } from "node:net";

import { BowlineError, hasCode, type Address } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import { dataFolderAt } from "../data-folder/data-folder.ts";
import { readKeysFile } from "../data-folder/encryption-keys-file.ts";
import { addressText } from "../run/server-urls.ts";
import { withMigrator } from "./maintained-database.ts";

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What is in the data folder of a server, whether or not it runs. Nothing is changed. */
export interface DataFolderFacts {
  readonly folder: string;
  readonly exists: boolean;
  readonly hasDatabase: boolean;
  /** A process works on the database. */
  readonly isInUse: boolean;
  readonly keysProblem?: Failure | undefined;
  readonly databaseProblem?: Failure | undefined;
  readonly pendingMigrations: readonly string[];
  readonly freeBytes?: number | undefined;
  /** Where the server would listen. */
  readonly address: string;
  /** Something listens there. */
  readonly isTaken: boolean;
}

const connectLimitMs = 1_000;

export async function examineDataFolder(config: ServerConfig): Promise<DataFolderFacts> {
  const folder = dataFolderAt(config.data);
  const hasDatabase = existsSync(folder.database);
  const keys = await failureOf(readKeysFile(config.encryption.keysFile ?? folder.encryptionKeys));
  return {
    folder: folder.path,
    exists: existsSync(folder.path),
    hasDatabase,
    keysProblem: keys,
    ...(hasDatabase && config.database.url === undefined
      ? await databaseFacts(config)
      : { isInUse: false, pendingMigrations: [] }),
    freeBytes: await freeBytes(folder.path),
    address: addressText(config.listen),
    isTaken: await isTaken(config.listen),
  };
}

async function databaseFacts(
  config: ServerConfig,
): Promise<Pick<DataFolderFacts, "isInUse" | "databaseProblem" | "pendingMigrations">> {
  try {
    const status = await withMigrator(config, (migrator) => migrator.status());
    const pending = status.filter(({ appliedAt }) => appliedAt === undefined).map(({ name }) => name);
    return { isInUse: false, pendingMigrations: pending };
  } catch (error) {
    if (hasCode(error, "DataFolderLocked")) return { isInUse: true, pendingMigrations: [] };
    return { isInUse: false, databaseProblem: asFailure(error), pendingMigrations: [] };
  }
}

async function failureOf(work: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return asFailure(error);
  }
}

function asFailure(thrown: unknown): Failure {
  const { code, message } = BowlineError.from(thrown);
  return { code, message };
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

const anyHost: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

function isTaken({ host, port }: Address): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  const socket = connect({ host: anyHost.has(host) ? "127.0.0.1" : host, port, timeout: connectLimitMs });
  return new Promise((resolve) => {
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}
