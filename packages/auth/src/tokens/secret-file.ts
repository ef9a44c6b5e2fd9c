import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

import { createFile, hasCode, replaceFile, type RandomBytes } from "@bowline/core";

import { isSecret, newTokenSecret, tokenScheme } from "./token-secret.ts";

const maxBytes = 256;

/**
 * The token in the file, or a new one that is put there. When it returns, the file is on disk, whole, and readable by
 * its owner only. Of several processes that do this at once all get the same token.
 */
export async function keepSecret(path: string, randomBytes: RandomBytes): Promise<string> {
  const secret = newTokenSecret(randomBytes);
  for (;;) {
    const found = await readSecret(path);
    if (found.secret !== undefined) return found.secret;
    if (await put(path, `${secret}\n`, found.exists)) return secret;
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
    return isSecret(text, tokenScheme) ? { exists: true, secret: text } : { exists: true };
  } finally {
    await file.close();
  }
}

/** Whether it is there now; not, when another process has put one there meanwhile. */
async function put(path: string, text: string, replaces: boolean): Promise<boolean> {
  if (!replaces) return createFile(path, text);
  await replaceFile(path, text);
  return true;
}
