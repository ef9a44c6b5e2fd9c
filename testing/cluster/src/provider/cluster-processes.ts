import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";

import { hasCode } from "@bowline/core";

/** In the environment of the keeper, and so of whatever cleans up after it. */
export const clusterVariable = "BOWLINE_TEST_CLUSTER";
/** The word by which a keeper is told from what it keeps. */
export const keepCommand = "keep";

export interface ClusterProcess {
  readonly pid: number;
  readonly command: readonly string[];
  /** `etcd`, `kube-apiserver`; of programs that Node runs, the name of their file. */
  readonly name: string;
}

/**
 * Every process of the cluster whose folder that is, by what each of them was started with: nothing that somebody has to
 * have written down before. Dead ones that nobody has buried do not count.
 */
export async function findClusterProcesses(folder: string): Promise<readonly ClusterProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/u.test(name));
  const found = await Promise.all(pids.map((pid) => readProcess(Number(pid), folder)));
  return found.flatMap((each) => (each === undefined || each.pid === process.pid ? [] : [each]));
}

export function isKeeper({ command }: ClusterProcess): boolean {
  return command.includes(keepCommand);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

async function readProcess(pid: number, folder: string): Promise<ClusterProcess | undefined> {
  const command = (await readIfThere(`/proc/${pid}/cmdline`)).split("\0").filter((word) => word !== "");
  if (command.length === 0) return undefined;
  const isInFolder = command.some((word) => word === folder || word.includes(`${folder}/`));
  if (
    !isInFolder &&
    !(await readIfThere(`/proc/${pid}/environ`)).split("\0").includes(`${clusterVariable}=${folder}`)
  ) {
    return undefined;
  }
  const script = command.find((word) => word.endsWith(".ts"));
  return { pid, command, name: basename(script ?? command[0] ?? "", ".ts") };
}

/** A process may end while it is looked at, and some belong to others. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return "";
    throw error;
  }
}
