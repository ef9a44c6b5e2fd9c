import { existsSync } from "node:fs";

import { BowlineError, systemClock, type Logger } from "@bowline/core";
import { openEngine, migrations, Migrator, type Store } from "@bowline/store";

import type { ServerConfig } from "../config/server-config.ts";
import { dataFolderAt, openDataFolder } from "../data-folder/data-folder.ts";
import { openDatabase, databaseFailure, databaseOptions } from "../run/open-database.ts";

export interface MaintenanceOptions {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The store that the settings name, which a server has made; the caller closes it. With SQLite no server may have it open. */
export async function openMaintainedStore({ config, logger, signal }: MaintenanceOptions): Promise<Store> {
  const { database } = dataFolderAt(config.data);
  if (config.database.url === undefined && !existsSync(database)) {
    throw new BowlineError(
      "NotFound",
      `There is no database of a server in ${config.data}; name its data folder with --data or BOWLINE_DATA.`,
    );
  }
  return openDatabase({ config, folder: openDataFolder(config.data), clock: systemClock, logger, signal });
}

/** Names of the migrations that this version has, the oldest first. */
export function migrationNames(): readonly string[] {
  return migrations.map(({ name }) => name);
}

/** Lets somebody work on the schema of the database that the settings name. `DataFolderLocked` while a server uses it. */
export async function withMigrator<T>(
  config: ServerConfig,
  work: (migrator: Migrator) => Promise<T>,
): Promise<T> {
  const engine = openEngine(databaseOptions(config, openDataFolder(config.data)), systemClock);
  try {
    return await work(new Migrator(engine, () => systemClock.now()));
  } catch (error) {
    throw config.database.url === undefined ? error : databaseFailure(error, config.database.url);
  } finally {
    await engine.close();
  }
}
