import type { Clock } from "@bowline/core";
import { onTestFinished } from "vitest";

import type { EncryptionKey } from "../secrets/key-ring.ts";
import { openStore, type DatabaseOptions, type Store, type StoreOptions } from "../store.ts";

/** Where the contract suite gets its databases from. */
export interface StoreHarness {
  /** An empty database that lasts until the test ends. */
  newDatabase(): Promise<DatabaseOptions>;
  /** Whether a database outlives the store that was opened on it. */
  readonly canReopen: boolean;
  /** Whether two stores may be open on one database, as two replicas have them. */
  readonly canShare: boolean;
}

export interface OpenOptions {
  readonly clock?: Clock;
  readonly keys?: readonly EncryptionKey[];
  readonly kinds?: StoreOptions["kinds"];
  readonly pollMs?: number;
  readonly reportLimits?: StoreOptions["reportLimits"];
  readonly graphLimits?: StoreOptions["graphLimits"];
}

export function testKey(id: string): EncryptionKey {
  return { id, key: Buffer.alloc(32, id) };
}

/** Opens a store that is closed when the test ends. */
export async function openTestStore(database: DatabaseOptions, options: OpenOptions = {}): Promise<Store> {
  const { clock, kinds, keys = [testKey("k1")], pollMs = 20, reportLimits, graphLimits } = options;
  const store = await openStore({
    database,
    encryptionKeys: keys,
    pollMs,
    ...(clock === undefined ? {} : { clock }),
    ...(kinds === undefined ? {} : { kinds }),
    ...(reportLimits === undefined ? {} : { reportLimits }),
    ...(graphLimits === undefined ? {} : { graphLimits }),
  });
  onTestFinished(() => store.close());
  return store;
}

export async function newStore(harness: StoreHarness, options?: OpenOptions): Promise<Store> {
  return openTestStore(await harness.newDatabase(), options);
}
