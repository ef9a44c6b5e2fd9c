import { randomUUID } from "node:crypto";
import { chmod, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { BowlineError, makeFolder } from "@bowline/core";

/** Writes a file that only its owner can read, and that is never half written. */
export async function replaceFile(path: string, content: string): Promise<void> {
  makeFolder(dirname(path));
  // Where the file is a link into a folder that somebody keeps in git, the file behind it is the one to change.
  const target = await realpath(path).catch(() => path);
  await requireFile(target);
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, target);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
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
