import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file that only its owner can read, and that is never half written. */
export async function replaceFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Where the file is a link into a folder that somebody keeps in git, the file behind it is the one to change.
  const target = await realpath(path).catch(() => path);
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
