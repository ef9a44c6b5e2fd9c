import { readFile } from "node:fs/promises";

const ticksPerSecond = 100;

/** What some processes have used so far, all their threads included, as Linux counts it. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const used = await Promise.all(
    pids.map(async (pid) => cpuSecondsIn(await readFile(`/proc/${pid}/stat`, "utf8"))),
  );
  return used.reduce((sum, each) => sum + each, 0);
}

/** What the processes have used that a process has started and that have ended, with those that they had started. */
export async function endedChildrenCpuSeconds(pid: number): Promise<number> {
  return endedChildrenCpuSecondsIn(await readFile(`/proc/${pid}/stat`, "utf8"));
}

/** `<pid> (<name, with any characters>) <state> …`, with the ticks in user and in system mode 11 and 12 fields on. */
export function cpuSecondsIn(stat: string): number {
  const fields = fieldsOf(stat);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The same of those that were waited for, which stand behind. */
export function endedChildrenCpuSecondsIn(stat: string): number {
  const fields = fieldsOf(stat);
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
