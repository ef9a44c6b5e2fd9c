import { homedir } from "node:os";
import { join } from "node:path";

import type { Environment } from "@bowline/core";

/** Where the XDG base directory rules put what agents keep; they say that a relative path is to be ignored. */
export function dataHome(environment: Environment): string {
  const base = environment["XDG_DATA_HOME"];
  const share =
    base?.startsWith("/") === true ? base : join(environment["HOME"] ?? homedir(), ".local", "share");
  return join(share, "bowline", "agents");
}
