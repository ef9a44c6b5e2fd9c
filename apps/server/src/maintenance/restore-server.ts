import { createReadStream, existsSync } from "node:fs";

import { backupKind } from "@bowline/api";
import { BowlineError, systemClock } from "@bowline/core";
import {
  readHeader,
  restoreDatabase,
  verifyBackup,
  type BackupHeader,
  type RestoredBackup,
} from "@bowline/store";

import { openDataFolder } from "../data-folder/data-folder.ts";
import { readKeysFile } from "../data-folder/encryption-keys-file.ts";
import { databaseFailure, databaseOptions, openDatabase, openPrivately } from "../run/open-database.ts";
import type { MaintenanceOptions } from "./maintained-database.ts";

export interface RestoreServerOptions extends MaintenanceOptions {
  /** The backup. */
  readonly file: string;
  readonly onProgress?: (rows: number) => void;
}

/** The header of the backup in a file. */
export async function readBackupHeader(file: string): Promise<BackupHeader> {
  return explained(file, () => readHeader(createReadStream(file)));
}

/** Reads a backup from end to end. */
export async function verifyBackupFile(file: string): Promise<RestoredBackup> {
  return explained(file, () => verifyBackup(createReadStream(file)));
}

/** Puts a backup into the empty database that the settings name. */
export async function restoreServer(options: RestoreServerOptions): Promise<RestoredBackup> {
  const { config, file, onProgress } = options;
  const header = await readBackupHeader(file);
  const folder = openDataFolder(config.data);
  const keysFile = config.encryption.keysFile ?? folder.encryptionKeys;
  if (!existsSync(keysFile)) throw missingKeys(header, keysFile);
  const encryptionKeys = await readKeysFile(keysFile);
  const restored = await explained(file, async () => {
    try {
      return await restoreDatabase({
        database: openPrivately(databaseOptions(config, folder)),
        encryptionKeys,
        open: () => createReadStream(file),
        ...(onProgress === undefined ? {} : { onProgress }),
      });
    } catch (error) {
      throw config.database.url === undefined ? error : databaseFailure(error, config.database.url);
    }
  });
  await noteRestored(options, restored);
  return restored;
}

/** Opens it as a server will; whoever looks at the audit log finds why it has a gap. */
async function noteRestored(options: MaintenanceOptions, { header }: RestoredBackup): Promise<void> {
  const { config } = options;
  const folder = openDataFolder(config.data);
  const store = await openDatabase({ ...options, folder, clock: systemClock });
  try {
    await store.audit.append([
      {
        actor: { user: "system:restore" },
        verb: "create",
        outcome: "allowed",
        httpStatus: 200,
        kind: backupKind,
        message: `Restored from the backup of ${header.createdAt}; what was done after it is not here.`,
        requestId: "restore",
      },
    ]);
  } finally {
    await store.close();
  }
}

function missingKeys({ encryptionKeys }: BackupHeader, file: string): BowlineError {
  const named = encryptionKeys.map((id) => `"${id.slice(0, 64)}"`).join(", ");
  return new BowlineError(
    "DecryptionFailed",
    `The backup needs the encryption ${encryptionKeys.length === 1 ? "key" : "keys"} ${named}, and there is no ${file}: copy encryption.keys of the server that made the backup there, or name it with --encryption-keys-file.`,
  );
}

async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BowlineError && error.code !== "BackupInvalid") throw error;
    if (error instanceof BowlineError) {
      throw new BowlineError(error.code, `${file}: ${error.message}`, { cause: error });
    }
    if (error instanceof Error && "code" in error && "syscall" in error) {
      throw new BowlineError(
        "InvalidArgument",
        `The backup ${file} cannot be read (${String(error.code)}).`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}
