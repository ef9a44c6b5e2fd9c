import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join, resolve, sep } from "node:path";

import { ownFile, ownProcess, type OwnProcess } from "@bowline/core";

import type { Environment } from "../command/command-context.ts";
import type { ConnectionChoice } from "../connection/choose-connection.ts";

/** How a program is started, in the words of a kubeconfig. */
export interface ExecCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** This very program, wherever it is. */
export const thisProgram: readonly [command: string, ...args: string[]] = commandLineOf(
  ownProcess(ownFile("bowline.mjs", new URL("../main.ts", import.meta.url))),
);

function commandLineOf({ command, args }: OwnProcess): typeof thisProgram {
  return [command, ...args];
}

/**
 * This program as kubectl finds it tomorrow: by name where it is installed, else by where it is now. npm and npx put a
 * folder on the PATH for as long as they run something, which says nothing about tomorrow.
 */
export async function installedProgram(environment: Environment): Promise<typeof thisProgram> {
  const folders = (environment["PATH"] ?? "").split(delimiter);
  for (const folder of folders) {
    if (folder === "" || folder.endsWith(join("node_modules", ".bin"))) continue;
    if (await isExecutable(folder + sep + "bowline")) return ["bowline"];
  }
  return thisProgram;
}

/** Starts `bowline credential` for this connection, whatever is the current context by then. */
export function credentialProgram(
  [command, ...args]: typeof thisProgram,
  connection: ConnectionChoice,
  environment: Environment,
): ExecCommand {
  const config = environment["BOWLINE_CONFIG"] ?? "";
  return {
    command,
    args: [...args, "credential", ...connectionFlags(connection)],
    env: config === "" ? [] : [{ name: "BOWLINE_CONFIG", value: resolve(config) }],
  };
}

/** Starts `bowline cluster eks-token`, as whoever AWS takes the machine for. */
export function eksTokenProgram(
  [command, ...args]: typeof thisProgram,
  place: { readonly region: string; readonly cluster: string; readonly profile: string | undefined },
): ExecCommand {
  const { region, cluster, profile } = place;
  return {
    command,
    args: [...args, "cluster", "eks-token", cluster, "--region", region],
    env: profile === undefined ? [] : [{ name: "AWS_PROFILE", value: profile }],
  };
}

/** Whether whoever runs kubectl has to set BOWLINE_TOKEN: the token is nowhere else. */
export function needsTokenVariable({ token, context }: ConnectionChoice): boolean {
  return token !== undefined && "value" in token && token.value !== context?.token;
}

/** Asking for a context by name leaves the environment out, so that is done only where the token is the context's. */
function connectionFlags(connection: ConnectionChoice): string[] {
  const { server, context, token } = connection;
  const file = token !== undefined && "file" in token ? token.file : undefined;
  if (context !== undefined && file === context.tokenFile && !needsTokenVariable(connection)) {
    return ["--context", context.name];
  }
  return ["--server", server, ...(file === undefined ? [] : ["--token-file", resolve(file)])];
}

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
