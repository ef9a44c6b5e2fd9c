import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { BowlineError, hasCode } from "@bowline/core";

import type { Environment } from "../command/command-context.ts";
import { ConfigDocument } from "./config-document.ts";
import { replaceConfigFile } from "./replace-config-file.ts";

/** `BOWLINE_CONFIG`, or where the XDG base directory specification puts it. */
export function configPath(environment: Environment): string {
  const named = environment["BOWLINE_CONFIG"] ?? "";
  if (named !== "") return named;
  const configured = environment["XDG_CONFIG_HOME"] ?? "";
  const home = environment["HOME"] ?? homedir();
  return join(configured === "" ? join(home, ".config") : configured, "bowline", "config.yaml");
}

/** A file that is not there is an empty one. */
export async function readConfig(environment: Environment): Promise<ConfigDocument> {
  const path = configPath(environment);
  try {
    return new ConfigDocument(await readFile(path, "utf8"), path);
  } catch (thrown) {
    if (isMissing(thrown)) return new ConfigDocument("", path);
    throw unreadable(thrown, path);
  }
}

/** Reads the file, changes it and writes it back: readable only by its owner, and never half written. */
export async function changeConfig<T>(
  environment: Environment,
  change: (config: ConfigDocument) => T,
): Promise<T> {
  const config = await readConfig(environment);
  const result = change(config);
  const path = configPath(environment);
  try {
    await replaceConfigFile(path, config.toString());
  } catch (cause) {
    if (cause instanceof BowlineError) throw cause;
    throw new BowlineError(
      "ConfigFileInvalid",
      `${path} cannot be written; check its folder and permissions.`,
      {
        cause,
      },
    );
  }
  return result;
}

function isMissing(thrown: unknown): boolean {
  return hasCode(thrown, "ENOENT");
}

function unreadable(thrown: unknown, path: string): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  return new BowlineError("ConfigFileInvalid", `${path} cannot be read; check its permissions.`, {
    cause: thrown,
  });
}
