import { readFile } from "node:fs/promises";

const ticksPerSecond = 100;

/** What some processes have used so far, all their threads included, as Linux counts it. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const used = await Promise.all(
    pids.map(async (pid) => cpuSecondsIn(await readFile(`/proc/${pid}/stat`, "utf8"))),
  );
  return used.reduce((sum, each) => sum + each, 0);
}

/** `<pid> (<name, with any characters>) <state> …`, with the ticks in user and in system mode 11 and 12 fields on. */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
