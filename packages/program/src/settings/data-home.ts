import { homedir } from "node:os";
import { join } from "node:path";

import type { Environment } from "@bowline/core";

/**
 * The folder for the data of programs, where the XDG base directory rules put it; they say that a relative path is to be
 * ignored.
 */
export function dataHome(environment: Environment): string {
  const base = environment["XDG_DATA_HOME"];
  const home = environment["HOME"] ?? homedir();
  return join(base?.startsWith("/") === true ? base : join(home, ".local", "share"), "bowline");
}
