import { execFile } from "node:child_process";

import { BowlineError } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";
import { printableLine } from "../../output/terminal-text.ts";

/** Runs a program of the machine and returns its output; `ProcessFailed` with its last line when it fails. */
export async function runTool(
  environment: Environment,
  [command = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env: environment, signal }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const reason = stderr.trim().split("\n").at(-1) ?? "";
      const line = [command, ...args].join(" ");
      const message = `\`${line}\` failed: ${printableLine(reason === "" ? error.message : reason)}`;
      return reject(new BowlineError("ProcessFailed", message, { cause: error }));
    });
  });
}
