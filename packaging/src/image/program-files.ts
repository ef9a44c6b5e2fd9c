import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import type { TarEntry } from "@bowline/core";

/** A program of this machine and the shared libraries it loads, each at its own path, as entries of an image. */
export async function programFiles(programPath: string, pathInImage: string): Promise<TarEntry[]> {
  const libraries = await sharedLibraries(programPath);
  const copies = [[programPath, pathInImage], ...libraries.map((path) => [path, path])];
  return Promise.all(
    copies.map(async ([from = "", to = ""]): Promise<TarEntry> => {
      return { type: "file", path: to.replace(/^\//, ""), content: await readFile(from), mode: 0o755 };
    }),
  );
}

async function sharedLibraries(programPath: string): Promise<string[]> {
  try {
    return parseLdd((await promisify(execFile)("ldd", [programPath], { timeout: 10_000 })).stdout);
  } catch (error) {
    // ldd exits with 1 for a program that needs no libraries.
    if (error instanceof Error && "stderr" in error && /not a dynamic/.test(String(error.stderr))) return [];
    throw error;
  }
}

/** Lines like `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
export function parseLdd(output: string): string[] {
  return [...output.matchAll(/(?:=>\s+|^\s+)(\/\S+)\s+\(0x/gm)].flatMap((match) => match[1] ?? []);
}
