import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import { BowlineError, hasCode, systemClock, withDeadline, type Clock } from "@bowline/core";

import { tooLarge } from "../files/source-file.ts";
import { tookTooLong } from "../worker/render-pool.ts";

export interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing of this process is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Written to its standard input. */
  readonly input?: string;
  readonly clock?: Clock;
}

export interface ToolEnd {
  readonly output: Uint8Array;
  /** The end of what it said on standard error. */
  readonly complaint: string;
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly endedBy: NodeJS.Signals | undefined;
}

const maxComplaintLength = 4_000;
/** Whatever has left the group of processes may hold its pipes open; nobody waits for that. */
const pipesGraceMs = 1_000;

/**
 * Runs a program in a group of processes of its own. The whole group is killed when the program ends, takes too long,
 * prints too much, or nobody wants its answer any more.
 */
export async function runTool(run: ToolRun): Promise<ToolEnd> {
  run.signal.throwIfAborted();
  const child = spawn(run.command, run.args, {
    cwd: run.cwd,
    env: run.env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const killGroup = (): void => kill(child);
  const { output, complaint, overflow } = collect(child, run.maxOutputBytes);
  // A program that ends without reading its input closes the pipe, which is its own affair.
  child.stdin.on("error", () => undefined);
  child.stdin.end(run.input ?? "");
  try {
    const { clock = systemClock, timeoutMs, signal } = run;
    return await withDeadline(
      async () => {
        const ended = await Promise.race([endOf(child), overflow]);
        return { ...ended, output: output(), complaint: complaint() };
      },
      { clock, limitMs: timeoutMs, signal, onTimeout: () => tookTooLong(timeoutMs) },
    );
  } finally {
    killGroup();
    await closed(child);
  }
}

type Ended = Pick<ToolEnd, "exitCode" | "endedBy">;

async function endOf(child: ChildProcess): Promise<Ended> {
  try {
    const [exitCode, endedBy]: unknown[] = await once(child, "exit");
    kill(child);
    await closed(child);
    return {
      exitCode: typeof exitCode === "number" ? exitCode : undefined,
      endedBy: typeof endedBy === "string" ? signalOf(endedBy) : undefined,
    };
  } catch (cause) {
    throw new BowlineError("RenderFailed", `${child.spawnfile} cannot be started.`, { cause });
  }
}

function signalOf(name: string): NodeJS.Signals {
  return name === "SIGXCPU" || name === "SIGXFSZ" || name === "SIGSEGV" || name === "SIGTERM"
    ? name
    : "SIGKILL";
}

async function closed({ stdout, stderr }: ChildProcess): Promise<void> {
  const streams = [stdout, stderr].filter((stream) => stream?.closed === false);
  const done = new AbortController();
  const grace = sleep(pipesGraceMs, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([Promise.all(streams.map(closeOf)), grace]);
  done.abort();
  for (const stream of streams) stream?.destroy();
}

async function closeOf(stream: Readable | null): Promise<void> {
  if (stream !== null) await once(stream, "close");
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

interface Collected {
  readonly output: () => Uint8Array;
  readonly complaint: () => string;
  /** Rejects once there is more than there may be. */
  readonly overflow: Promise<never>;
}

function collect({ stdout, stderr }: ChildProcess, maxBytes: number): Collected {
  const chunks: Buffer[] = [];
  let size = 0;
  let said = "";
  const { promise: overflow, reject } = Promise.withResolvers<never>();
  overflow.catch(() => undefined);
  stdout?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else {
      stdout.pause();
      reject(
        tooLarge(`The renderer printed more than ${maxBytes} bytes and was stopped.`, {
          exceeded: "renderedBytes",
          limit: maxBytes,
        }),
      );
    }
  });
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-maxComplaintLength);
  });
  return { output: () => Buffer.concat(chunks), complaint: () => said.trim(), overflow };
}
