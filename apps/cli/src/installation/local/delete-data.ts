import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "@bowline/core";

/** What a server and `up` write into a data folder. */
const ownNames =
  /^(?:bowline\.db(?:-wal|-shm|-journal|\.lock(?:-journal)?)?|encryption\.keys|admin\.token|tls|git(?:-\d+)?|render|server\.(?:log|pid)|compose\.yaml|secrets)$/u;

/**
 * Deletes the data of a server, and the folder if nothing else is in it: it may be somebody's home, or hold the keys of
 * agents. Returns the names of what is left.
 */
export async function deleteData(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const own = names.filter((name) => ownNames.test(name));
  for (const name of own) await rm(join(folder, name), { recursive: true, force: true });
  const left = names.filter((name) => !own.includes(name));
  if (left.length === 0) await rmdir(folder).catch(() => undefined);
  return left;
}
