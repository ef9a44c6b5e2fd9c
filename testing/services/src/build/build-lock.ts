import { spawn } from "node:child_process";
import { once } from "node:events";
import { BowlineError } from "@bowline/core";

/** Part of util-linux, which every Debian has. */
const flockProgram = "/usr/bin/flock";

export interface BuildLock {
  release(): Promise<void>;
}

/**
 * Waits until no other process holds the lock. It is the kernel's lock on a file, held by `flock` for as long as its
 * standard input is open: when this process dies, however it dies, the lock is free again.
 */
export async function takeBuildLock(path: string, signal: AbortSignal): Promise<BuildLock> {
  const holder = spawn(flockProgram, [path, "sh", "-c", "echo held; exec cat"], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(holder, "exit");
  const failed = exited.then(
    () => Promise.reject(new BowlineError("ProcessFailed", `flock did not lock ${path}.`)),
    (cause: unknown) =>
      Promise.reject(new BowlineError("MissingProgram", `Cannot run ${flockProgram}.`, { cause })),
  );
  try {
    await Promise.race([once(holder.stdout, "data", { signal }), failed]);
  } catch (error) {
    holder.kill();
    signal.throwIfAborted();
    throw error;
  }
  return {
    async release() {
      holder.stdin.end();
      await exited;
    },
  };
}
