import { systemClock, type Logger } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import { openDataFolder } from "../data-folder/data-folder.ts";
import { openDatabase } from "../run/open-database.ts";
import type { Store } from "../store/store.ts";

export interface MaintenanceOptions {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The store that the settings name; the caller closes it. With SQLite no server may have it open. */
export function openMaintainedStore({ config, logger, signal }: MaintenanceOptions): Promise<Store> {
  return openDatabase({ config, folder: openDataFolder(config.data), clock: systemClock, logger, signal });
}
