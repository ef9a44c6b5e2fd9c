import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError } from "@bowline/core";
import type { RenderLimits, SourceFile } from "@bowline/render";

/** Never part of what is rendered, and often huge. */
const leftOut = new Set([".git", "node_modules"]);

/** The files of a folder and of those in it, as git would have them: links stay links, which are refused later. */
export async function readFolder(
  root: string,
  limits: RenderLimits,
  signal: AbortSignal,
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal.throwIfAborted();
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (leftOut.has(entry.name)) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) open.push(path);
      else files.push(await readOne(root, path, limits));
      if (files.length > limits.files) {
        throw new BowlineError(
          "TooLarge",
          `${root} has more than ${limits.files} files; render a part of it.`,
        );
      }
    }
  }
  return files;
}

async function readOne(root: string, path: string, { fileBytes }: RenderLimits): Promise<SourceFile> {
  const full = join(root, path);
  const { mode, size } = await lstat(full);
  const isFile = (mode & 0o170000) === 0o100000;
  // One that is too long is refused by its length, without being read.
  const bytes = isFile && size <= fileBytes ? await readFile(full) : new Uint8Array(isFile ? size : 0);
  return { path, bytes, mode };
}
