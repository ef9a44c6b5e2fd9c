import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

import type { Environment } from "../../command/command-context.ts";
import { installedProgram, thisProgram } from "../kubeconfig/credential-program.ts";

/** How somebody in this folder calls this program: by name, through npx in a checkout, or by where it is. */
export async function programName(environment: Environment, folder: string): Promise<string> {
  const [command, ...args] = await installedProgram(environment);
  if (args.length === 0) return command;
  const local = join(folder, "node_modules", ".bin", "bowline");
  return (await isExecutable(local)) ? "npx bowline" : thisProgram.join(" ");
}

export async function hasProgram(name: string, environment: Environment): Promise<boolean> {
  for (const folder of (environment["PATH"] ?? "").split(delimiter)) {
    if (folder !== "" && (await isExecutable(join(folder, name)))) return true;
  }
  return false;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
