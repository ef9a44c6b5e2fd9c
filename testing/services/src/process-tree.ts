import { allProcesses } from "./process-stat.ts";

/** The processes that `pid` started, and those they started, as far as they still hang together. */
export async function descendantPids(pid: number): Promise<number[]> {
  const children = Map.groupBy((await allProcesses()) ?? [], ({ parentPid }) => parentPid);
  const found: number[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const pids = (children.get(next) ?? []).map((child) => child.pid);
    found.push(...pids);
    open.push(...pids);
  }
  return found;
}

/** Those of `pids` that still run; one that has ended and waits to be buried does not. */
export async function livingPids(pids: readonly number[]): Promise<number[]> {
  const all = (await allProcesses()) ?? [];
  return all.filter(({ pid, isAlive }) => isAlive && pids.includes(pid)).map(({ pid }) => pid);
}
