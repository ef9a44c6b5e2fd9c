import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import { codeOf, hasCode, type Clock } from "@bowline/core";

export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** All of it: nothing of this process is passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  readonly input: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * How a program ended.
 *
 * - `exited`, `signalled`: by itself, or by whoever ended it; everything it said has been read.
 * - `too slow`, `too much`: it was killed for that, with its whole group of processes.
 * - `left open`: it ended, and something that it started keeps its output open.
 * - `not started`: there is no such program, or it cannot be run.
 */
export type ProgramEnding =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly by: NodeJS.Signals }
  | { readonly kind: "too slow" }
  | { readonly kind: "too much"; readonly stream: "standard output" | "standard error" }
  | { readonly kind: "left open" }
  | { readonly kind: "not started"; readonly code: string };

export interface ProgramEnd {
  readonly ending: ProgramEnding;
  readonly output: string;
  /** The last of what it said on standard error. */
  readonly log: string;
  /** Whether there was more of that before. */
  readonly isLogCut: boolean;
}

/** An answer has a record of 256 KiB and a kubeconfig at most. */
export const maxOutputBytes = 1024 * 1024;
export const maxLogBytes = 16 * 1024 * 1024;
const keptLogBytes = 64 * 1024;
/** How long its output may stay open after its end. */
export const pipesGraceMs = 1_000;

/**
 * Runs a program, never through a shell, as the leader of a group of processes. What it leaves running when it ends by
 * itself is its own affair, such as the cluster that it makes; in every other case the whole group is killed.
 */
export async function runProgramProcess(run: ProgramRun): Promise<ProgramEnd> {
  run.signal.throwIfAborted();
  const child = await start(run);
  return child instanceof Error ? notStarted(child) : new RunningProgram(child, run).end();
}

/** Resolves to the error of one that cannot be started: some are thrown, and others told afterwards. */
async function start({
  command,
  args,
  folder,
  env,
}: ProgramRun): Promise<ChildProcessWithoutNullStreams | Error> {
  try {
    const child = spawn(command, args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    if (child.pid !== undefined) return child;
    const failed = await new Promise<Error>((resolve) => child.once("error", resolve));
    closePipes(child);
    return failed;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function notStarted(error: Error): ProgramEnd {
  const ending = { kind: "not started", code: codeOf(error) ?? error.name } as const;
  return { ending, output: "", log: "", isLogCut: false };
}

/** One that was not started for a lack of files has none. */
function closePipes({
  stdin,
  stdout,
  stderr,
}: Partial<Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr">>): void {
  for (const pipe of [stdin, stdout, stderr]) pipe?.destroy();
}

class RunningProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #run: ProgramRun;
  readonly #output: Buffer[] = [];
  #outputBytes = 0;
  #log = Buffer.alloc(0);
  #logBytes = 0;
  /** Why it was killed, by whom of us it was. */
  #stopped: ProgramEnding | undefined;
  readonly #ended = Promise.withResolvers<ProgramEnding>();
  readonly #timers: (() => void)[] = [];

  constructor(child: ChildProcessWithoutNullStreams, run: ProgramRun) {
    this.#child = child;
    this.#run = run;
    child.stdout.on("data", (chunk: Buffer) => this.#takeOutput(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#takeLog(chunk));
    // A program that ends before it has read its input says by its answer what it thinks.
    child.stdin.on("error", () => undefined);
    child.stdin.end(run.input);
    child.once("exit", () => this.#onExit());
    child.once("close", (exitCode, by) => this.#ended.resolve(endingOf(exitCode, by)));
  }

  async end(): Promise<ProgramEnd> {
    const { signal, timeoutMs } = this.#run;
    const onAbort = (): void => this.#stop({ kind: "too slow" });
    signal.addEventListener("abort", onAbort, { once: true });
    this.#after(timeoutMs, () => this.#stop({ kind: "too slow" }));
    try {
      const ending = await this.#ended.promise;
      signal.throwIfAborted();
      return {
        ending: this.#stopped ?? ending,
        output: Buffer.concat(this.#output).toString("utf8"),
        log: this.#log.toString("utf8"),
        isLogCut: this.#logBytes > this.#log.length,
      };
    } finally {
      signal.removeEventListener("abort", onAbort);
      for (const cancel of this.#timers) cancel();
      closePipes(this.#child);
    }
  }

  /** From then on its output is to close: whatever keeps it open was started by it and left behind. */
  #onExit(): void {
    if (this.#stopped !== undefined) this.#ended.resolve(this.#stopped);
    else this.#after(pipesGraceMs, () => this.#leftOpen());
  }

  #leftOpen(): void {
    this.#kill();
    this.#ended.resolve({ kind: "left open" });
  }

  #takeOutput(chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    if (this.#outputBytes <= maxOutputBytes) this.#output.push(chunk);
    else this.#stop({ kind: "too much", stream: "standard output" });
  }

  #takeLog(chunk: Buffer): void {
    this.#logBytes += chunk.length;
    this.#log = Buffer.concat([this.#log, chunk]).subarray(-keptLogBytes);
    if (this.#logBytes > maxLogBytes) this.#stop({ kind: "too much", stream: "standard error" });
  }

  #stop(why: ProgramEnding): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#kill();
    // It has ended already, and something else held its output.
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#ended.resolve(why);
  }

  #kill(): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch (error) {
      if (!hasCode(error, "ESRCH", "EPERM")) throw error;
    }
  }

  #after(ms: number, then: () => void): void {
    this.#timers.push(this.#run.clock.after(ms, then));
  }
}

function endingOf(exitCode: number | null, by: NodeJS.Signals | null): ProgramEnding {
  return by === null ? { kind: "exited", exitCode: exitCode ?? 0 } : { kind: "signalled", by };
}
