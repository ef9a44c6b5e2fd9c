import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { GitError } from "../model/git-error.ts";
import { fetchObject, keptName, type FetchContext } from "./fetch-object.ts";

export interface HistoryRequest {
  readonly older: string;
  readonly newer: string;
  readonly refName?: string | undefined;
  readonly maxCommits: number;
}

const firstDepth = 64;
const deeperBy = 16;
const readTimeoutMs = 20_000;

/**
 * Whether one commit is below another. Only commits are fetched, no trees and no files, and only as many as it takes to
 * know; `TooLarge` when that is more than the limit.
 */
export async function isAncestor(request: HistoryRequest, context: FetchContext): Promise<boolean> {
  const { older, newer, refName, maxCommits } = request;
  if (older === newer) return true;
  for (let depth = firstDepth; ; depth *= deeperBy) {
    const bounded = Math.min(depth, maxCommits);
    await fetchObject({ id: newer, refName, filter: "tree:0", depth: bounded }, context);
    if (await leadsTo(older, newer, context)) return true;
    if (!(await isCutOff(newer, context))) return false;
    if (bounded === maxCommits) {
      throw new GitError(
        "TooLarge",
        `The history of ${newer} has more than ${maxCommits} commits, and ${older} is not among the newest of them.`,
        { details: { limit: maxCommits } },
      );
    }
  }
}

async function leadsTo(older: string, newer: string, context: FetchContext): Promise<boolean> {
  const { runner, repository, signal } = context;
  const args = ["merge-base", "--is-ancestor", "--end-of-options", older, newer];
  // Exit code 1 says no; others, that the older one is not there, which means the same as far as is known.
  const { exitCode } = await runner.run({ args, repository, timeoutMs: readTimeoutMs, signal });
  return exitCode === 0;
}

/** Whether the history that is here ends before its beginning: at a commit whose parents were not fetched. */
async function isCutOff(newer: string, { runner, repository, signal }: FetchContext): Promise<boolean> {
  const shallow = await readFile(join(repository, "shallow"), "utf8").catch(() => "");
  if (shallow === "") return false;
  const args = ["rev-list", "--max-parents=0", "--end-of-options", keptName(newer)];
  const { output } = await runner.run({ args, repository, timeoutMs: readTimeoutMs, signal });
  const cut = new Set(shallow.split("\n"));
  return output
    .toString("latin1")
    .split("\n")
    .some((id) => id !== "" && cut.has(id));
}
