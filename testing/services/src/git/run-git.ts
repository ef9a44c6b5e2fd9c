import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer, text } from "node:stream/consumers";

import { BowlineError } from "@bowline/core";

export interface RunGitOptions {
  readonly folder: string;
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** The same name on every commit, whoever runs the tests. */
export const testAuthor = "test <test@example.com>";

/** Nothing of the user's own git: no configuration, no hooks, no prompts. */
export const plainGitEnvironment = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "test",
  GIT_COMMITTER_EMAIL: "test@example.com",
} as const;

/** Runs git in a repository and resolves to what it printed, without the last line's end. */
export async function runGit(args: readonly string[], options: RunGitOptions): Promise<string> {
  return (await runProgram("git", args, options)).toString("utf8").trimEnd();
}

/** Runs a program to its end; `ProcessFailed` with all it said when it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { folder, input = "", env = {} }: RunGitOptions,
): Promise<Buffer> {
  const child = spawn(program, args, { cwd: folder, env: { ...plainGitEnvironment, ...env } });
  const [output, complaint] = [buffer(child.stdout), text(child.stderr)];
  // A program that does not read its input ends the pipe; its exit code tells what happened.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return output;
  throw new BowlineError("ProcessFailed", `${program} ${args.join(" ")} failed: ${await complaint}`);
}
