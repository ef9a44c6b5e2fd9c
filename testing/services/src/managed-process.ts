import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { BowlineError } from "@bowline/core";
import { OutputTail } from "./output-tail.ts";
import { endProcessGroup } from "./process-group.ts";
import { reapOnExit } from "./reaper.ts";

export interface ManagedProcessOptions {
  /** How errors call it; the command when not given. */
  readonly name?: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** The whole environment of the child; that of this process when not given. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Run it as another user; only root can. */
  readonly uid?: number;
  readonly gid?: number;
  /** Asked again and again after the start until it says so; what it throws means "not yet". */
  readonly isReady?: (signal: AbortSignal) => Promise<boolean>;
  readonly readyTimeoutMs?: number;
  /** What asks this program to end; SIGKILL follows after `stopGraceMs`. */
  readonly stopSignal?: NodeJS.Signals;
  readonly stopGraceMs?: number;
  /** Sees everything the process prints; the last lines are kept in any case. */
  readonly onOutput?: (chunk: Buffer) => void;
}

const defaultReadyTimeoutMs = 30_000;
const readyPollMs = 100;
const defaultStopGraceMs = 5_000;
const lastWordsMs = 250;

/**
 * A child process with an owner: it leads a process group of its own, is stopped as a group, and dies with this
 * process. States: running → exited, by itself or through `stop()`.
 */
export class ManagedProcess implements AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** Resolves, never rejects, once the process is gone, with how it ended: "exit code 1", "signal SIGKILL". */
  readonly exited: Promise<string>;
  #running = true;
  readonly #tail = new OutputTail();
  readonly #options: ManagedProcessOptions;

  /**
   * Resolves when the process runs and is ready. `MissingProgram` when there is no such program, `ProcessFailed` with
   * its last lines when it ends early or takes too long; then nothing of it is left.
   */
  static async start(options: ManagedProcessOptions): Promise<ManagedProcess> {
    const child = spawn(options.command, options.args ?? [], {
      cwd: options.cwd,
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
      env: options.env ?? process.env,
      // A group of its own: its helpers end with it, and Ctrl-C reaches it only through its owner.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      await once(child, "spawn");
    } catch (error) {
      throw new BowlineError("MissingProgram", `Cannot run ${options.command}: is it installed?`, {
        cause: error,
      });
    }
    const started = new ManagedProcess(child, options);
    try {
      await started.#whenReady();
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  private constructor(child: ChildProcess, options: ManagedProcessOptions) {
    if (child.pid === undefined) throw new TypeError("A spawned process has a pid");
    this.name = options.name ?? options.command;
    this.pid = child.pid;
    this.#options = options;
    const signal = options.stopSignal ?? "SIGTERM";
    const forget = reapOnExit({ kind: "process-group", pid: child.pid, signal });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#tail.push(chunk);
        options.onOutput?.(chunk);
      });
    }
    this.exited = this.#watchExit(child, forget);
  }

  get isRunning(): boolean {
    return this.#running;
  }

  lastLines(count?: number): string[] {
    return this.#tail.lines(count);
  }

  /** Idempotent; resolves when the whole group is gone. */
  async stop(): Promise<void> {
    const { stopSignal = "SIGTERM", stopGraceMs = defaultStopGraceMs } = this.#options;
    if (this.#running) await endProcessGroup(this.pid, stopSignal, stopGraceMs);
    await this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  failure(what: string, cause?: unknown): BowlineError {
    const lines = this.lastLines(20);
    const printed = lines.length === 0 ? "It printed nothing." : `It last printed:\n${lines.join("\n")}`;
    return new BowlineError("ProcessFailed", `${this.name} ${what}. ${printed}`, { cause });
  }

  async #whenReady(): Promise<void> {
    const { isReady, readyTimeoutMs = defaultReadyTimeoutMs } = this.#options;
    if (isReady === undefined) return;
    const limit = AbortSignal.timeout(readyTimeoutMs);
    let lastProblem: unknown;
    while (!limit.aborted) {
      if (!this.#running) throw this.failure(`ended before it was ready (${await this.exited})`);
      try {
        if (await isReady(limit)) return;
      } catch (error) {
        lastProblem = error;
      }
      await Promise.race([sleep(readyPollMs), this.exited]);
    }
    throw this.failure(`was not ready after ${readyTimeoutMs / 1000} s`, lastProblem);
  }

  async #watchExit(child: ChildProcess, forget: () => void): Promise<string> {
    const closed = once(child, "close");
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    this.#running = false;
    forget();
    // Its last words may still be on their way, but a daemon it left behind can hold the pipe open for ever.
    await Promise.race([closed, sleep(lastWordsMs)]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  }
}
