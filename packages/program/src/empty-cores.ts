import { writeFileSync } from "node:fs";

/**
 * Keeps what this process, and every one that it starts, has in memory out of core files: keys, tokens and sessions are
 * there in plain. Limits of the size of core files do not hold where the kernel hands them to a program, as systemd and
 * Ubuntu have it, and Kubernetes has no setting for them. Only Linux knows this.
 *
 * @see https://man7.org/linux/man-pages/man5/core.5.html
 */
export function emptyCores(): void {
  try {
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // Another system, or a sandbox that hides /proc: what starts the process sets the limit.
  }
}
