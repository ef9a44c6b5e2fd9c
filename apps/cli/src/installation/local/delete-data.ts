import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "@bowline/core";

import { hasOwnCompose } from "./kept-data.ts";
import { localFiles } from "./local-options.ts";

/** What a server and `up` write into a data folder. */
const ownFiles =
  /^(?:bowline\.db(?:-wal|-shm|-journal|\.lock(?:-journal)?)?|encryption\.keys|admin\.token|server\.(?:log|pid))$/u;
/** Those that nothing but a server has. */
const signs = /^(?:bowline\.db|encryption\.keys$|admin\.token$)/u;
/** Folders of a server, and what is its own in them: others have folders of these names, too. */
const ownFolders: readonly (readonly [name: RegExp, own: RegExp])[] = [
  [/^tls$/u, /^(?:ca\.crt|server\.pem|replica\.pem)(?:\.[\da-f]+\.tmp)?$/u],
  [/^git(?:-\d+)?$/u, /^(?:repositories|refs|run|render)$/u],
];

/**
 * Deletes the data of a server, and the folder if nothing else is in it: it may be somebody's home, hold the keys of
 * agents, or never have been a server's. Returns the names of what is left.
 */
export async function deleteData(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  await deleteOfCompose(folder);
  const isOfServer = names.some((name) => signs.test(name));
  for (const [isFolder, own] of ownFolders) {
    for (const name of names.filter((each) => isFolder.test(each))) {
      if (isOfServer) await deleteIn(join(folder, name), own);
      await removeEmpty(join(folder, name));
    }
  }
  // After the folders: whoever was interrupted knows by them whose those are.
  await deleteIn(folder, ownFiles);
  const left = await namesIn(folder);
  if (left.length === 0) await removeEmpty(folder);
  return left;
}

/** The file goes last, as it says that the others are ours. */
export async function deleteOfCompose(folder: string): Promise<void> {
  const { ca, compose, composeToken } = localFiles({ data: folder, service: "compose" });
  const secrets = join(folder, "secrets");
  const isOwn = await hasOwnCompose(compose);
  if (isOwn) for (const file of [composeToken, ca]) await rm(file, { force: true });
  for (const each of [join(secrets, "admin"), secrets]) await removeEmpty(each);
  if (isOwn) await rm(compose, { force: true });
}

async function deleteIn(folder: string, own: RegExp): Promise<void> {
  const names = (await namesIn(folder)).filter((name) => own.test(name));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  });
}
