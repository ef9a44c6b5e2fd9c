import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { hasCode } from "./unknown-values.ts";

interface WriteOptions {
  /** Permissions of the file; only its owner can read and write it if nothing is said. */
  readonly mode?: number;
}

/** Writes a file of which readers see the old content or the new one, also after a crash. */
export async function replaceFile(path: string, content: string, options: WriteOptions = {}): Promise<void> {
  await withTemporary(path, content, options, (temporary) => rename(temporary, path));
}

/** Writes a file that is not there yet; false when it is, whoever wrote it. Nobody ever sees half of it. */
export async function createFile(
  path: string,
  content: string,
  options: WriteOptions = {},
): Promise<boolean> {
  return withTemporary(path, content, options, async (temporary) => {
    try {
      await link(temporary, path);
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

async function withTemporary<T>(
  path: string,
  content: string,
  { mode = 0o600 }: WriteOptions,
  publish: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeThrough(temporary, content, mode);
    const result = await publish(temporary);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeThrough(path: string, content: string, mode: number): Promise<void> {
  await using file = await open(path, "wx", mode);
  await file.writeFile(content);
  await file.sync();
}

/** The name of a file is only as durable as the folder it is in. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
