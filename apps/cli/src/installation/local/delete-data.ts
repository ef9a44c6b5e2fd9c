import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "@bowline/core";

import { hasOwnCompose } from "./kept-data.ts";

/** What a server and `up` write into a data folder. */
const ownNames =
  /^(?:bowline\.db(?:-wal|-shm|-journal|\.lock(?:-journal)?)?|encryption\.keys|admin\.token|tls|git(?:-\d+)?|render|server\.(?:log|pid))$/u;

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
  await deleteOfCompose(folder);
  const left: string[] = await readdir(folder).catch(() => []);
  if (left.length === 0) await rmdir(folder).catch(() => undefined);
  return left;
}

/** Others have files and folders of these names, too. */
async function deleteOfCompose(folder: string): Promise<void> {
  const file = join(folder, "compose.yaml");
  if (await hasOwnCompose(file)) await rm(file, { force: true });
  const secrets = join(folder, "secrets");
  await rm(join(secrets, "admin", "token"), { force: true });
  for (const each of [join(secrets, "admin"), secrets]) await rmdir(each).catch(() => undefined);
}
