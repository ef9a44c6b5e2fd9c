import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** A process that cannot be mistaken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, as the system tells it. */
  readonly startedAt: string;
}

/** Undefined when there is no such process, or it has ended and only waits to be buried. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === "linux" ? await linuxStart(pid) : await otherStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startedAt === identity.startedAt;
}

/**
 * The processes of this user that were started with this in their environment. Linux only: other systems do not tell
 * it, and there a process is known by its pid file alone.
 */
export async function findByMark(variable: string, value: string): Promise<ProcessIdentity[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name)).map(Number);
  const found: ProcessIdentity[] = [];
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.split("\0").includes(`${variable}=${value}`)) continue;
    const identity = await identify(pid);
    if (identity !== undefined) found.push(identity);
  }
  return found;
}

/** Ticks since the boot, with the boot, as another one begins to count anew. */
async function linuxStart(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // `<pid> (<name, with any characters>) <state> …`: the start is the 22nd field, the state the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ticks] = [fields[0], fields[19]];
  if (ticks === undefined || state === "Z" || state === "X") return undefined;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}/${ticks}`;
}

async function otherStart(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]);
    return stdout.trim() === "" ? undefined : stdout.trim();
  } catch {
    return undefined;
  }
}
