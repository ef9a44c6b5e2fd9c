import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const bundler = fileURLToPath(new URL("../../../../../scripts/bundle-agent.ts", import.meta.url));

/** The program as it is shipped, in a folder. */
export interface BundledProgram {
  readonly folder: string;
  /** For the PATH: has `bowline` in it. */
  readonly binFolder: string;
}

export async function bundleProgram(parent: string): Promise<BundledProgram> {
  const folder = join(parent, "bowline");
  const binFolder = join(parent, "bin");
  await promisify(execFile)(process.execPath, [bundler, folder], { timeout: 60_000 });
  await mkdir(binFolder);
  const start = `#!/bin/sh\nexec '${process.execPath}' '${join(folder, "dist", "bowline.mjs")}' "$@"\n`;
  await writeFile(join(binFolder, "bowline"), start, { mode: 0o755 });
  return { folder, binFolder };
}
