import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import { BowlineError } from "@bowline/core";

/** Runs lines of `ip -batch`, on this machine or, by the pid of a process, in its network namespace. */
export async function ipCommands(lines: readonly string[], pid?: number): Promise<void> {
  const enter = pid === undefined ? [] : ["nsenter", "--target", String(pid), "--net", "--"];
  await runProgram([...enter, "ip", "-batch", "-"], `${lines.join("\n")}\n`);
}

/** Rejects with `ProcessFailed`, and what the program said, unless it ends well. */
export async function runProgram(argv: readonly string[], stdin = ""): Promise<void> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "pipe"] });
  // One that ends without reading everything has said why.
  child.stdin.on("error", () => {}).end(stdin);
  try {
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    if (code === 0) return;
    throw new Error(`${command} ended with ${code}: ${said.trim()}`);
  } catch (cause) {
    throw new BowlineError("ProcessFailed", `${argv.join(" ")} failed.`, { cause });
  }
}
