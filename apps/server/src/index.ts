export { openEngine, openStore, type DatabaseOptions, type StoreOptions } from "./store/open-store.ts";
export { Migrator, type MigrationStatus } from "./store/schema/migrator.ts";
export type { EncryptionKey } from "./store/secrets/key-ring.ts";
export type { Store } from "./store/store.ts";
