import { readFile } from "node:fs/promises";

/** Of this program alone: the maximum that getrusage tells still counts the bench, from before the exec. */
export async function peakRssBytes(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
