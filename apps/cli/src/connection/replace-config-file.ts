import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { BowlineError, makeFolder, replaceFile } from "@bowline/core";

/** Writes a file of the user that only they can read, with its folder. */
export async function replaceConfigFile(path: string, content: string): Promise<void> {
  makeFolder(dirname(path));
  // Where the file is a link into a folder that somebody keeps in git, the file behind it is the one to change.
  const target = await realpath(path).catch(() => path);
  await requireFile(target);
  await replaceFile(target, content);
}

/** KUBECONFIG is often /dev/null, for none, and root could put a file in its place. */
async function requireFile(path: string): Promise<void> {
  const known = await stat(path).catch(() => undefined);
  if (known === undefined || known.isFile()) return;
  throw new BowlineError(
    "InvalidArgument",
    `${path} is not a regular file and is left as it is; name another.`,
  );
}
