import { readFile } from "node:fs/promises";

/** Memory of a process now (`VmRSS`), or the most that it had (`VmHWM`). */
export async function memoryOf(pid: number | "self", what: "VmHWM" | "VmRSS"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, "mu").exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Of this program alone: the maximum that getrusage tells still counts the bench, from before the exec. */
export async function peakRssBytes(): Promise<number> {
  return memoryOf("self", "VmHWM");
}
