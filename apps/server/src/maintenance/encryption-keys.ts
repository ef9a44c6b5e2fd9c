import { systemClock } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import { openDataFolder } from "../data-folder/data-folder.ts";
import { addNewestKey, newKeyLine, readKeysFile } from "../data-folder/encryption-keys-file.ts";
import { openMaintainedStore, type MaintenanceOptions } from "./maintained-database.ts";

export interface Reencrypted {
  /** How many objects and values had another key. */
  readonly changed: number;
  readonly file: string;
  readonly newestKey: string;
  /** The keys that nothing needs any more, once the answers kept for idempotency keys have run out. */
  readonly otherKeys: readonly string[];
}

/** A line for the file of encryption keys. */
export function newEncryptionKey(): string {
  return newKeyLine(systemClock.now());
}

/** Puts a new key first in the file and encrypts everything with it. */
export async function rotateEncryptionKey(options: MaintenanceOptions): Promise<Reencrypted> {
  // Opened before the file is touched: a database that a server uses, or that has other keys, is left as it is.
  const store = await openMaintainedStore(options);
  try {
    await addNewestKey(fileOf(options.config), systemClock.now());
  } finally {
    await store.close();
  }
  return reencryptSecrets(options);
}

/** Encrypts everything with the first key of the file. */
export async function reencryptSecrets(options: MaintenanceOptions): Promise<Reencrypted> {
  const store = await openMaintainedStore(options);
  try {
    const file = fileOf(options.config);
    const [newest, ...others] = (await readKeysFile(file)).map(({ id }) => id);
    return { changed: await store.reencrypt(), file, newestKey: newest ?? "", otherKeys: others };
  } finally {
    await store.close();
  }
}

function fileOf(config: ServerConfig): string {
  return config.encryption.keysFile ?? openDataFolder(config.data).encryptionKeys;
}
