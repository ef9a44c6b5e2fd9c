import { access, rm, writeFile } from "node:fs/promises";

import { hasCode } from "@bowline/core";
import { reapOnExit } from "./reaper.ts";
import { runCommand, type RunCommandOptions } from "./run-command.ts";

export type AptOptions = Pick<RunCommandOptions, "signal" | "onOutput">;

/** Why this process cannot install Debian packages here; undefined when it can. */
export async function whyNoDebianInstall(): Promise<string | undefined> {
  try {
    await access("/etc/debian_version");
    await access("/usr/bin/apt-get");
  } catch {
    return "this machine does not run Debian";
  }
  return process.getuid?.() === 0 ? undefined : "this is not the root user";
}

/** Brings the packages onto the machine, but starts none of the services in them: the tests start their own. */
export async function installDebianPackages(
  names: readonly string[],
  options: AptOptions = {},
): Promise<void> {
  if (names.length === 0) return;
  await runCommand({ ...options, ...aptGetCommand(["update"]) });
  await using _quiet = await forbidServiceStarts();
  await runCommand({
    ...options,
    ...aptGetCommand(["install", "--yes", "--no-install-recommends", ...names]),
  });
}

/** A command that asks nothing, and that waits when somebody else is installing something. */
export function aptGetCommand(args: readonly string[]): {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
} {
  return {
    command: "apt-get",
    args: ["--option", "DPkg::Lock::Timeout=300", "--option", "Dpkg::Use-Pty=false", ...args],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" },
  };
}

/** Debian starts a service as soon as it is installed, unless this program says 101: "forbidden by policy". */
const policyProgram = "/usr/sbin/policy-rc.d";

async function forbidServiceStarts(): Promise<AsyncDisposable> {
  try {
    await writeFile(policyProgram, "#!/bin/sh\nexit 101\n", { mode: 0o755, flag: "wx" });
  } catch (error) {
    // The machine has a policy already, as containers do: it stays in force.
    if (hasCode(error, "EEXIST")) return new AsyncDisposableStack();
    throw error;
  }
  const forget = reapOnExit({ kind: "path", path: policyProgram });
  return {
    async [Symbol.asyncDispose]() {
      await rm(policyProgram, { force: true });
      forget();
    },
  };
}
