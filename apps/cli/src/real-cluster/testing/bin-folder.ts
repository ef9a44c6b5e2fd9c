import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const commandLine = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** A folder for the PATH: has `bowline` in it, with all commands. */
export async function makeBinFolder(parent: string): Promise<string> {
  const folder = join(parent, "bin");
  await mkdir(folder);
  const start = `#!/bin/sh\nexec '${process.execPath}' '${commandLine}' "$@"\n`;
  await writeFile(join(folder, "bowline"), start, { mode: 0o755 });
  return folder;
}
