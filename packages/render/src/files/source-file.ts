import { BowlineError } from "@bowline/core";

import type { RenderLimits } from "../render-limits.ts";

/** A file as git or a folder has it. */
export interface SourceFile {
  /** With `/` between its parts, from the root of the set. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The mode that git keeps: 0o100644, 0o100755, 0o120000 for a link, 0o160000 for a submodule. */
  readonly mode: number;
}

const typeMask = 0o170000;
const regularType = 0o100000;
const linkType = 0o120000;
const submoduleType = 0o160000;

const maxPathLength = 1024;
const maxPartBytes = 255;

/**
 * The files in the one order that they have on every machine. Throws `UnsafePath` for what must not be written into a
 * folder or read from it, and `TooLarge`.
 */
export function checkFiles(files: readonly SourceFile[], limits: RenderLimits): SourceFile[] {
  if (files.length > limits.files) {
    throw tooLarge(`These are ${files.length} files; at most ${limits.files} are rendered together.`, {
      actual: files.length,
      limit: limits.files,
    });
  }
  let total = 0;
  for (const file of files) {
    checkPath(file.path);
    checkMode(file);
    const { length } = file.bytes;
    total += length;
    const details = { path: file.path, actual: length, limit: limits.fileBytes };
    if (length > limits.fileBytes) {
      throw tooLarge(`${file.path} has ${length} bytes; a file may have ${limits.fileBytes}.`, details);
    }
    if (total > limits.totalBytes) {
      const message = `With ${file.path}, the files have more than ${limits.totalBytes} bytes together.`;
      throw tooLarge(message, { path: file.path, actual: total, limit: limits.totalBytes });
    }
  }
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  checkEachOnce(sorted);
  return sorted;
}

function checkPath(path: string): void {
  const parts = path.split("/");
  const isSafe =
    path.length <= maxPathLength &&
    path.isWellFormed() &&
    !/[\p{Cc}\\]/u.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== ".." && !isTooLong(part));
  if (!isSafe) {
    const shown = path.slice(0, 200).replaceAll(/\p{Cc}/gu, "�");
    throw unsafePath(path, `«${shown}» is not a path that stays inside of the folder; rename the file.`);
  }
}

function isTooLong(part: string): boolean {
  return Buffer.byteLength(part) > maxPartBytes;
}

function checkMode({ path, mode }: SourceFile): void {
  const type = mode & typeMask;
  if (type === regularType) return;
  const what = { [linkType]: "a symbolic link", [submoduleType]: "a submodule" }[type] ?? "no regular file";
  throw unsafePath(path, `${path} is ${what}; only files themselves are rendered. Commit the file instead.`);
}

/** Two names that differ in case are one file on some machines, and a file cannot be a folder too. */
function checkEachOnce(sorted: readonly SourceFile[]): void {
  const seen = new Map<string, string>();
  const folders = new Set<string>();
  for (const { path } of sorted) {
    const key = path.toLowerCase();
    const other = seen.get(key);
    if (other !== undefined) {
      throw unsafePath(
        path,
        `${path} and ${other} are the same file where case does not count; rename one of them.`,
      );
    }
    seen.set(key, path);
    for (let at = key.lastIndexOf("/"); at > 0; at = key.lastIndexOf("/", at - 1))
      folders.add(key.slice(0, at));
  }
  for (const [key, path] of seen) {
    if (folders.has(key)) throw unsafePath(path, `${path} is a file and a folder; rename one of them.`);
  }
}

export function tooLarge(message: string, details: Readonly<Record<string, unknown>>): BowlineError {
  return new BowlineError("TooLarge", message, { details });
}

export function unsafePath(path: string, message: string): BowlineError {
  return new BowlineError("UnsafePath", message, { details: { path } });
}
