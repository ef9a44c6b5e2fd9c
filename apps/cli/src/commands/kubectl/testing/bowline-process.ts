import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../main.ts", import.meta.url));

export interface ProcessResult {
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
