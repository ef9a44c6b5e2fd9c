import { readdir, readFile } from "node:fs/promises";

export interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupPid: number;
  /** False for a process that has ended and waits for its parent to bury it. */
  readonly isAlive: boolean;
}

/** Every process of the machine, as Linux lists them; undefined on other systems. */
export async function allProcesses(): Promise<ProcessStat[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(readProcess));
  return stats.filter((stat) => stat !== undefined);
}

/** Undefined for a process that is gone. */
async function readProcess(pid: number): Promise<ProcessStat | undefined> {
  return parseProcessStat(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
}

/** `<pid> (<name, with any characters>) <state> <parent pid> <group> …` */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const [state, parentPid, groupPid] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || parentPid === undefined || groupPid === undefined) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parentPid: Number(parentPid),
    groupPid: Number(groupPid),
    isAlive: state !== "Z" && state !== "X",
  };
}
