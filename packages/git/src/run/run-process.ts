import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import { hasCode, type Clock } from "@bowline/core";

import { cancelled, GitError } from "../model/git-error.ts";

export interface ProcessRun {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly input?: string | Buffer | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly maxOutputBytes: number;
}

export interface ProcessEnd {
  /** Null after a signal. */
  readonly exitCode: number | null;
  readonly output: Buffer;
  /** The last of its standard error. */
  readonly complaint: string;
}

const keptComplaint = 64 * 1024;
/** Enough for git to remove its lock files. */
const killGraceMs = 1_000;

/**
 * Runs a program, never through a shell, as the leader of a process group: when its time is over, when it prints too
 * much or when the signal says so, all that it started ends with it.
 */
export async function runProcess(run: ProcessRun): Promise<ProcessEnd> {
  if (run.signal?.aborted === true) throw cancelled(run.signal);
  const child = spawn(run.command, run.args, {
    cwd: run.folder,
    env: run.env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const running = new RunningProcess(child, run);
  return running.end();
}

class RunningProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #run: ProcessRun;
  readonly #output: Buffer[] = [];
  readonly #timers: (() => void)[] = [];
  #outputBytes = 0;
  #complaint = Buffer.alloc(0);
  #stopped: GitError | undefined;

  constructor(child: ChildProcessWithoutNullStreams, run: ProcessRun) {
    this.#child = child;
    this.#run = run;
    child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#complaint = Buffer.concat([this.#complaint, chunk]).subarray(-keptComplaint);
    });
    // A program that ends before it has read everything says why by its exit code.
    child.stdin.on("error", () => {});
    child.stdin.end(run.input ?? "");
  }

  async end(): Promise<ProcessEnd> {
    const { signal, timeoutMs } = this.#run;
    const onAbort = (): void => {
      if (signal !== undefined) this.#stop(cancelled(signal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#after(timeoutMs, () => this.#stop(this.#tooSlow()));
    try {
      const exitCode = await this.#closed();
      if (this.#stopped !== undefined) throw this.#stopped;
      return { exitCode, output: Buffer.concat(this.#output), complaint: this.#complaint.toString("utf8") };
    } finally {
      signal?.removeEventListener("abort", onAbort);
      for (const cancel of this.#timers) cancel();
      // A helper that outlived its leader would go on with nobody to read it.
      this.#kill("SIGKILL");
    }
  }

  #take(chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    if (this.#outputBytes <= this.#run.maxOutputBytes) this.#output.push(chunk);
    else this.#stop(this.#tooMuch());
  }

  #stop(why: GitError): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#kill("SIGTERM");
    this.#after(killGraceMs, () => this.#kill("SIGKILL"));
  }

  #kill(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if (!hasCode(error, "ESRCH")) throw error;
    }
  }

  #after(ms: number, then: () => void): void {
    this.#timers.push(this.#run.clock.after(ms, then));
  }

  #closed(): Promise<number | null> {
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    this.#child.once("error", (error) => reject(this.#notStarted(error)));
    this.#child.once("close", resolve);
    return promise;
  }

  #tooSlow(): GitError {
    const seconds = this.#run.timeoutMs / 1_000;
    return new GitError("Timeout", `The git command did not end within ${seconds} s and was stopped.`);
  }

  #tooMuch(): GitError {
    const limit = this.#run.maxOutputBytes;
    return new GitError("TooLarge", `The git command printed more than ${limit} bytes and was stopped.`, {
      details: { limit },
    });
  }

  #notStarted(cause: Error): GitError {
    return new GitError(
      "MissingProgram",
      `Cannot run ${this.#run.command}; install it, or put it on the search path.`,
      { cause },
    );
  }
}
