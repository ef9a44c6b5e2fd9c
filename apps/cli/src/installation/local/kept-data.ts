import { readFile, stat } from "node:fs/promises";

import { BowlineError, hasCode } from "@bowline/core";

import { localFiles, type LocalOptions } from "./local-options.ts";

/**
 * The service that a data folder is gone on with when nobody says which. Compose has its data in a volume, which is
 * found by the file that `down` leaves here: any other service would begin with nothing beside it.
 */
export async function usualService(data: string): Promise<LocalOptions["service"]> {
  return (await hasOwnCompose(localFiles({ data, service: "compose" }).compose)) ? "compose" : "process";
}

/** Whether an earlier server of this kind left data behind. */
export function hasKeptData(options: LocalOptions): Promise<boolean> {
  const { compose, database } = localFiles(options);
  return options.service === "compose" ? hasOwnCompose(compose) : exists(database);
}

/** `InvalidArgument` when a server of the other kind has its data here: this one would not see it. */
export async function requireSameKind(options: LocalOptions): Promise<void> {
  const { compose, database } = localFiles(options);
  const { data, service } = options;
  if (service === "compose" && (await exists(database))) {
    throw new BowlineError(
      "InvalidArgument",
      `${data} holds the database of a server that ran without compose, and a container has its own in a volume; use another --service, or choose another --data.`,
    );
  }
  if (service !== "compose" && (await hasOwnCompose(compose))) {
    throw new BowlineError(
      "InvalidArgument",
      `${compose} says that compose ran a server here, whose data is in a volume; use --service compose, or choose another --data.`,
    );
  }
}

/** What `up` writes into its compose file, and nobody else. */
export const composeMark = "bowline.dev/installation";

/** Whether `up` has written the compose file that is there: somebody may keep one of their own in that folder. */
export async function hasOwnCompose(path: string): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")).includes(composeMark);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
