import { systemClock } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import { openDataFolder } from "../data-folder/data-folder.ts";
import { databaseFailure } from "../run/database-failure.ts";
import { databaseOptions } from "../run/open-database.ts";
import { openEngine, Migrator } from "@bowline/store";

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
