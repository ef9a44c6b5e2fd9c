import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { GitError } from "../model/git-error.ts";
import type { Access } from "../run/access.ts";
import { gitFailure } from "../run/git-failure.ts";
import type { GitRunner } from "../run/git-runner.ts";
import { measureFetch, type OnFetch } from "./fetch-figures.ts";

/** Fetches into one repository. */
export interface FetchContext {
  readonly runner: GitRunner;
  readonly repository: string;
  readonly access: Access;
  readonly timeoutMs: number;
  /** The largest pack that is taken. */
  readonly maxPackBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly onFetch?: OnFetch | undefined;
}

export interface WantedObject {
  readonly id: string;
  /** The name that had it, for servers that give out no objects by their ids. */
  readonly refName?: string | undefined;
  readonly filter: string;
  readonly depth: number;
}

interface Attempt {
  readonly source: string;
  readonly filter: string | undefined;
  readonly depth: number;
}

/** A branch may have moved on by as many commits since somebody looked. */
const depthBehindRef = 100;
const readTimeoutMs = 10_000;

const refusesFilter =
  /filter '[^']*' not supported|filter.*not (?:supported|allowed|recognized).*fatal|unknown filter/isu;
const refusesId = /not our ref|unadvertised object|does not allow request|couldn't find remote ref/iu;
const brokenRepository =
  /object file .* is empty|inflate: data|loose object .* corrupt|packfile .* (?:cannot be accessed|is far too short|corrupt)|index file .*(?:corrupt|too small)|bad config|not a git repository/iu;

/** The name under which the cache keeps an object from being thought of as garbage, and as whole. */
export function keptName(id: string): string {
  return `refs/bowline/${id}`;
}

/** Whether an object was fetched whole: its name is written last. */
export async function hasObject(
  id: string,
  { runner, repository, signal }: Pick<FetchContext, "runner" | "repository" | "signal">,
): Promise<boolean> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${keptName(id)}^{object}`];
  const { exitCode } = await runner.run({ args, repository, timeoutMs: readTimeoutMs, signal });
  return exitCode === 0;
}

/**
 * Fetches an object: by its id with a filter, and where the server refuses one of them, without. `CommitNotFound` when
 * the server does not have it or does not give it out.
 */
export function fetchObject(wanted: WantedObject, context: FetchContext): Promise<void> {
  return measureFetch(context, () => fetchByAttempts(wanted, context));
}

async function fetchByAttempts(wanted: WantedObject, context: FetchContext): Promise<void> {
  let attempt: Attempt | undefined = { source: wanted.id, filter: wanted.filter, depth: wanted.depth };
  while (attempt !== undefined) {
    const complaint = await tryFetch(attempt, wanted.id, context);
    if (complaint === undefined) {
      if (await keepsWanted(attempt, wanted.id, context)) return;
      attempt = attempt.depth < depthBehindRef ? { ...attempt, depth: depthBehindRef } : undefined;
    } else {
      if (await reachedLimit(context)) throw tooLarge(wanted.id, context);
      attempt = nextAttempt(attempt, wanted, complaint, context);
    }
  }
  throw new GitError(
    "CommitNotFound",
    `${context.access.address.url} does not give out ${wanted.id}: it is not there any more, or the server only gives out branches and tags.`,
    { details: { id: wanted.id } },
  );
}

/** Undefined on success, else what git said. */
async function tryFetch(attempt: Attempt, id: string, context: FetchContext): Promise<string | undefined> {
  const { runner, repository, access, timeoutMs, maxPackBytes, signal } = context;
  const { exitCode, complaint } = await runner.run({
    args: [
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-write-fetch-head",
      "--no-auto-gc",
      "--force",
      `--depth=${attempt.depth}`,
      // Said outright: git would go on with the filter of the attempt before.
      attempt.filter === undefined ? "--no-filter" : `--filter=${attempt.filter}`,
      "--end-of-options",
      access.address.url,
      `${attempt.source}:${attempt.source === id ? keptName(id) : "refs/bowline-fetched"}`,
    ],
    repository,
    access,
    timeoutMs,
    maxFileBytes: maxPackBytes,
    signal,
  });
  return exitCode === 0 ? undefined : complaint;
}

function nextAttempt(
  attempt: Attempt,
  { id, refName }: WantedObject,
  complaint: string,
  { access }: FetchContext,
): Attempt | undefined {
  if (attempt.filter !== undefined && refusesFilter.test(complaint)) return { ...attempt, filter: undefined };
  if (!refusesId.test(complaint)) throw gitFailure(complaint, access);
  return attempt.source === id && refName !== undefined ? { ...attempt, source: refName } : undefined;
}

/** The process that writes the pack is killed at the limit without a word; the pack that it leaves tells. */
async function reachedLimit({ repository, maxPackBytes }: FetchContext): Promise<boolean> {
  const folder = join(repository, "objects", "pack");
  const names = await readdir(folder).catch(() => []);
  const unfinished = names.filter((name) => name.startsWith("tmp_"));
  const found = await Promise.all(unfinished.map((name) => stat(join(folder, name))));
  return found.some(({ size }) => size >= maxPackBytes);
}

function tooLarge(id: string, { access, maxPackBytes }: FetchContext): GitError {
  return new GitError(
    "TooLarge",
    `The commit ${id} of ${access.address.url} needs a pack of more than ${maxPackBytes} bytes; move large files out of the repository.`,
    { details: { limit: maxPackBytes } },
  );
}

/** After a fetch by name, the name may have moved on: then the object is below it, or it is not there. */
async function keepsWanted(attempt: Attempt, id: string, context: FetchContext): Promise<boolean> {
  if (attempt.source === id) return true;
  const { runner, repository, signal } = context;
  const args = ["update-ref", "--end-of-options", keptName(id), id];
  const { exitCode } = await runner.run({ args, repository, timeoutMs: readTimeoutMs, signal });
  return exitCode === 0;
}

/** Whether an error says that the repository on disk cannot be used, so that a new one may help. */
export function saysBroken(error: unknown): boolean {
  return error instanceof GitError && error.code === "ProcessFailed" && brokenRepository.test(error.message);
}
