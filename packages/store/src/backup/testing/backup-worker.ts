import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { workerData } from "node:worker_threads";

import { openStore, restoreDatabase, type DatabaseOptions } from "../../store.ts";

/** Makes a backup of one database and restores it to another, with as little memory as the thread was given. */
const { from, to, file } = workerData as {
  readonly from: DatabaseOptions;
  readonly to: DatabaseOptions;
  readonly file: string;
};
const encryptionKeys = [{ id: "k1", key: Buffer.alloc(32, "k1") }];
const store = await openStore({ database: from, encryptionKeys });
await pipeline(await store.backup({ version: "1.2.3", history: true }), createWriteStream(file));
await store.close();
await restoreDatabase({ database: to, encryptionKeys, open: () => createReadStream(file) });
