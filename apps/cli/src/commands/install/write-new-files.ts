import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { printableLine } from "../../output/terminal-text.ts";

/** Writes files that are not there yet, by their paths: all of them, or none where one is there. */
export async function writeNewFiles(
  { terminal }: CommandContext,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  for (const path of files.keys()) {
    if (await isThere(path)) {
      throw new BowlineError(
        "AlreadyExists",
        `${printableLine(path)} is there already; choose an empty folder, or take the file away.`,
      );
    }
  }
  for (const [path, content] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: "wx" });
    terminal.out(`${printableLine(path)} written\n`);
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
