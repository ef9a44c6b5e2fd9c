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
  await withTemporary(path, contentWriter(content, options), (temporary) => rename(temporary, path));
}

/** Writes a file that is not there yet; false when it is, whoever wrote it. Nobody ever sees half of it. */
export async function createFile(
  path: string,
  content: string,
  options: WriteOptions = {},
): Promise<boolean> {
  return withTemporary(path, contentWriter(content, options), (temporary) => linkNew(temporary, path));
}

interface StreamOptions extends WriteOptions {
  /** Replaces a file that is there; otherwise it stays, and nothing is written. */
  readonly replaces: boolean;
  /** Looks at the whole file before anybody else sees it; what it throws leaves everything as it was. */
  readonly check?: (temporary: string) => Promise<void>;
}

/** The same for more than should be held in memory; false when the file is there and is not to be replaced. */
export async function writeStream(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { mode = 0o600, replaces, check }: StreamOptions,
): Promise<boolean> {
  const write = async (temporary: string): Promise<void> => {
    await writeThrough(temporary, content, mode);
    await check?.(temporary);
  };
  return withTemporary(path, write, async (temporary) => {
    if (!replaces) return linkNew(temporary, path);
    await rename(temporary, path);
    return true;
  });
}

async function linkNew(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

function contentWriter(
  content: string,
  { mode = 0o600 }: WriteOptions,
): (temporary: string) => Promise<void> {
  return (temporary) => writeThrough(temporary, content, mode);
}

async function withTemporary<T>(
  path: string,
  write: (temporary: string) => Promise<void>,
  publish: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await write(temporary);
    const result = await publish(temporary);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeThrough(
  path: string,
  content: string | AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> {
  await using file = await open(path, "wx", mode);
  await file.writeFile(content);
  await file.sync();
}

/** The name of a file is only as durable as the folder it is in. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
