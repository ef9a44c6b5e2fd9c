import type { SettingOrigin } from "./resolve-settings.ts";
import type { SettingValues } from "./settings.ts";

/** Everything the server is told: the settings, checked against each other. */
export interface ServerConfig extends SettingValues {
  readonly data: string;
  /** Where each setting is from, by name. */
  readonly origins: ReadonlyMap<string, SettingOrigin>;
  /** What is not wrong but probably not meant. */
  readonly warnings: readonly string[];
}
