import { constants } from "node:fs";
import { link, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

import { hasCode, type RandomBytes } from "@bowline/core";

import { isTokenSecret, newTokenSecret } from "./token-secret.ts";

const onlyOwner = 0o600;
const maxBytes = 256;

/**
 * The token in the file, or a new one that is put there. When it returns, the file is on disk, whole, and readable by
 * its owner only. Of several processes that do this at once all get the same token.
 */
export async function keepSecret(path: string, randomBytes: RandomBytes): Promise<string> {
  const secret = newTokenSecret(randomBytes);
  const temporary = `${path}.${Buffer.from(randomBytes(8)).toString("hex")}.tmp`;
  await writeSynced(temporary, `${secret}\n`);
  try {
    for (;;) {
      const found = await readSecret(path);
      if (found.secret !== undefined) return found.secret;
      if (await put(temporary, path, found.exists)) break;
    }
    await syncFolder(dirname(path));
    return secret;
  } finally {
    await rm(temporary, { force: true });
  }
}

interface Found {
  readonly exists: boolean;
  readonly secret?: string;
}

async function readSecret(path: string): Promise<Found> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { exists: false };
    if (hasCode(error, "ELOOP")) return { exists: true };
    throw error;
  }
  try {
    const { mode, size } = await file.stat();
    // A file that others could read may be known to them.
    const isPrivate = (mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o077) === 0;
    const text = isPrivate && size <= maxBytes ? (await file.readFile("utf8")).trim() : "";
    return isTokenSecret(text) ? { exists: true, secret: text } : { exists: true };
  } finally {
    await file.close();
  }
}

/** Whether it is there now; not, when another process has put one there meanwhile. */
async function put(temporary: string, path: string, replaces: boolean): Promise<boolean> {
  if (replaces) {
    await rename(temporary, path);
    return true;
  }
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", onlyOwner);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name in a folder outlives a loss of power only when the folder is on disk too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
