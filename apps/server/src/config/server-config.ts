import { resolve } from "node:path";

import {
  dataHome,
  resolveSettings,
  settingsError,
  withShown,
  type SettingReport,
  type SettingSources,
} from "@bowline/program";
import { readConfigFile } from "@bowline/program/config-file";

import { configProblems } from "./config-problems.ts";
import { serverSettings, type ServerValues } from "./settings.ts";

/** Everything the server is told: the settings, checked against each other, and where each is from. */
export interface ServerConfig extends ServerValues, SettingReport {
  readonly data: string;
}

/** Reads all sources of settings. `InvalidArgument` when one cannot be read, or for whatever is wrong in them. */
export function loadConfig(sources: Omit<SettingSources, "file">): ServerConfig {
  const file = readConfigFile(serverSettings, sources);
  const { values, origins, warnings } = resolveSettings(serverSettings, { ...sources, file });
  const data = resolve(values.data ?? dataHome(sources.environment));
  const config: ServerConfig = { ...values, data, origins: withShown(origins, "data", data), warnings };
  const problems = configProblems(config);
  if (problems.length > 0) throw settingsError(problems);
  return config;
}
