import { ManagedProcess, type ManagedProcessOptions } from "./managed-process.ts";

export interface RunCommandOptions extends ManagedProcessOptions {
  /** Ends the command, and with it every process it started. */
  readonly signal?: AbortSignal;
}

/** Runs a command to its end; any end but exit code 0 is a `ProcessFailed` with the last lines it printed. */
export async function runCommand(options: RunCommandOptions): Promise<void> {
  options.signal?.throwIfAborted();
  const child = await ManagedProcess.start(options);
  const stop = (): void => void child.stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  // The signal may have come while the process was starting.
  if (options.signal?.aborted) stop();
  const end = await child.exited;
  options.signal?.removeEventListener("abort", stop);
  options.signal?.throwIfAborted();
  if (end !== "exit code 0") throw child.failure(`failed (${end})`);
}
