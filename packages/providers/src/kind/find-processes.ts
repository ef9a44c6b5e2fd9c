import { readdir, readFile } from "node:fs/promises";

import { runProgram, type ProgramContext } from "./run-program.ts";

/**
 * The processes that were started with this argument. An argument that nobody else has tells a process apart for as long
 * as it lives, whoever started it: there is no number that could be lost, or be another one's by now.
 */
export async function findProcesses(argument: string, context: ProgramContext): Promise<number[]> {
  return process.platform === "linux" ? fromProc(argument) : fromPs(argument, context);
}

async function fromProc(argument: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    // Of one that has ended and waits to be buried, it is empty.
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.split("\0").includes(argument)) found.push(pid);
  }
  return found;
}

async function fromPs(argument: string, context: ProgramContext): Promise<number[]> {
  const { stdout } = await runProgram(context, ["ps", "-axww", "-o", "pid=,command="]);
  const lines = stdout.split("\n").filter((line) => line.includes(argument));
  return lines.map((line) => Number.parseInt(line, 10)).filter((pid) => pid > 1);
}
