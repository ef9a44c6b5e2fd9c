import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const bundler = fileURLToPath(new URL("../../../../../scripts/bundle-agent.ts", import.meta.url));
const commandLine = fileURLToPath(new URL("../../main.ts", import.meta.url));

export interface Programs {
  /** What is in the agent's image. */
  readonly agentFolder: string;
  /** For the PATH: has `bowline` in it, with all commands. */
  readonly binFolder: string;
}

export async function makePrograms(parent: string): Promise<Programs> {
  const agentFolder = join(parent, "agent");
  const binFolder = join(parent, "bin");
  await promisify(execFile)(process.execPath, [bundler, agentFolder], { timeout: 60_000 });
  await mkdir(binFolder);
  const start = `#!/bin/sh\nexec '${process.execPath}' '${commandLine}' "$@"\n`;
  await writeFile(join(binFolder, "bowline"), start, { mode: 0o755 });
  return { agentFolder, binFolder };
}
