import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { reapOnExit } from "@bowline/test-services";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../main.ts", import.meta.url));

export interface BowlineProcess {
  /** Its standard output so far, for people. */
  readonly out: string;
  /** Its log so far. */
  readonly log: string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has logged this. */
  logged(text: string): Promise<void>;
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

interface BowlineProcessOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** It is ready when it has printed this. */
  readonly readyText: string;
}

/** Runs a command as a process of its own until it is ready; it is killed when the test ends. */
export async function startBowline(
  args: readonly string[],
  { environment, readyText }: BowlineProcessOptions,
): Promise<BowlineProcess> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const forget = reapOnExit({ kind: "process-group", pid: child.pid ?? 0, signal: "SIGKILL" });
  const printed = { out: "", log: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (printed.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (printed.log += text));
  const exited = (async () => {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    forget();
    return code ?? signal ?? 0;
  })();
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const printedText = async (stream: "out" | "log", text: string): Promise<void> => {
    const source = stream === "out" ? child.stdout : child.stderr;
    while (!printed[stream].includes(text)) {
      if (child.exitCode !== null) throw new Error(`It ended without "${text}":\n${printed.log}`);
      await Promise.race([once(source, "data"), exited]);
    }
  };
  await printedText("out", readyText);
  return {
    get out() {
      return printed.out;
    },
    get log() {
      return printed.log;
    },
    kill: (signal) => void child.kill(signal),
    logged: (text) => printedText("log", text),
    exited,
  };
}

interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

type ProcessEnvironment = Readonly<Record<string, string>>;

/** Starts the command line as a process of its own, as signals and exit codes need one. */
export function spawnBowline(
  args: readonly string[],
  env: ProcessEnvironment,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], { env });
}

export function runBowlineProcess(
  args: readonly string[],
  env: ProcessEnvironment,
  stdin = "",
): Promise<ProcessResult> {
  return resultOf(spawnBowline(args, env), stdin);
}

export async function resultOf(child: ChildProcessWithoutNullStreams, stdin = ""): Promise<ProcessResult> {
  child.stdin.end(stdin);
  const [[code], out, error] = await Promise.all([
    once(child, "exit") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, error };
}
