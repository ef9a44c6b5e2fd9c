import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

import { BowlineError, closest } from "@bowline/core";

import { configProblems } from "./config-problems.ts";
import { configFileSetting, namedSettings, variablePrefix } from "./named-settings.ts";
import { parseConfigFile } from "./parse-config-file.ts";
import { resolveSettings } from "./resolve-settings.ts";
import type { ServerConfig } from "./server-config.ts";
import { settingsError } from "./setting-problem.ts";
import type { ConfigFile, SettingSources } from "./setting-sources.ts";

type Environment = SettingSources["environment"];

/** Reads all sources of settings. `InvalidArgument` when one cannot be read, or for whatever is wrong in them. */
export function loadConfig(sources: Omit<SettingSources, "file">): ServerConfig {
  const { flags, environment } = sources;
  const { values, origins } = resolveSettings({ ...sources, file: readConfigFile(sources) });
  const data = resolve(values.data ?? defaultDataFolder(environment));
  const config: ServerConfig = {
    ...values,
    data,
    origins: withShown(origins, "data", data),
    warnings: [...passwordWarnings(flags), ...variableWarnings(environment)],
  };
  const problems = configProblems(config);
  if (problems.length > 0) throw settingsError(problems);
  return config;
}

/** What was worked out from the environment is shown as it is. */
function withShown(origins: ServerConfig["origins"], name: string, shown: string): ServerConfig["origins"] {
  const origin = origins.get(name);
  return origin === undefined ? origins : new Map([...origins, [name, { ...origin, shown }]]);
}

function readConfigFile({ flags, environment }: Omit<SettingSources, "file">): ConfigFile | undefined {
  const { flag, variable } = configFileSetting;
  const path = flags[flag] ?? environment[variable];
  if (path === undefined || path === "") return undefined;
  try {
    return parseConfigFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    const source = flags[flag] === undefined ? variable : flag;
    const reason = error instanceof Error ? error.message : String(error);
    throw settingsError([{ source, message: `names ${path}, which cannot be read (${reason}).` }]);
  }
}

/** Where the XDG base directory rules put it; they say that a relative path is to be ignored. */
function defaultDataFolder(environment: Environment): string {
  const base = environment["XDG_DATA_HOME"];
  return join(
    base?.startsWith("/") === true ? base : join(environment["HOME"] ?? homedir(), ".local", "share"),
    "bowline",
  );
}

function passwordWarnings(flags: SettingSources["flags"]): string[] {
  return namedSettings.flatMap(({ flag, fromFile, setting }) => {
    const text = flag === undefined ? undefined : flags[flag];
    if (setting.secret === undefined || fromFile === undefined || text === undefined) return [];
    return URL.canParse(text) && new URL(text).password !== ""
      ? [
          `Other users of this machine can read the password in ${flag}; use ${fromFile.flag} or ${fromFile.variable}.`,
        ]
      : [];
  });
}

/** Variables that are nearly those of a setting; others with this prefix may belong to the command line. */
function variableWarnings(environment: Environment): string[] {
  const known = new Set(
    namedSettings.flatMap(({ variable, fromFile }) =>
      fromFile === undefined ? [variable] : [variable, fromFile.variable],
    ),
  );
  const endings = [...known].map((variable) => variable.slice(variablePrefix.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !known.has(name))
    .flatMap((name) => {
      const meant = closest(name.slice(variablePrefix.length), endings);
      return meant === undefined ? [] : [`${name} is no setting; did you mean ${variablePrefix}${meant}?`];
    });
}
