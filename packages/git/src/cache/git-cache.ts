import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { GitCredential } from "../model/credential.ts";
import { checkCredential } from "../model/credential.ts";
import { GitError } from "../model/git-error.ts";
import { normalisedAddress, parseRepositoryUrl, type RepositoryAddress } from "../model/repository-url.ts";
import { GitRunner, type GitRunnerOptions } from "../run/git-runner.ts";
import { readTree, type GitTree, type TreeLimits, type TreeRequest } from "../tree/read-tree.ts";
import type { Verification } from "../verify/verification.ts";
import { verifyObject, type VerifyRequest } from "../verify/verify-object.ts";
import { CacheSpace } from "./cache-space.ts";
import type { OnFetch } from "./fetch-figures.ts";
import { fetchObject, hasObject, saysBroken, type FetchContext } from "./fetch-object.ts";
import { isAncestor } from "./history.ts";
import { prepareRepository, sweepLeftovers, type ObjectFormat } from "./repository-folder.ts";
import { Turns } from "./turns.ts";

export interface GitCacheOptions extends GitRunnerOptions {
  readonly fetchTimeoutMs?: number;
  /** The largest pack that one fetch may bring. */
  readonly maxPackBytes?: number;
  /** The largest file that is fetched and read. */
  readonly maxFileBytes?: number;
  /** All repositories together, as far as nobody uses them. */
  readonly maxCacheBytes?: number;
  /** How far back a history is followed. */
  readonly maxCommits?: number;
  /** Called after each fetch from a server. Must not throw. */
  readonly onFetch?: OnFetch;
}

export interface RepositoryRequest {
  readonly url: string;
  readonly credential?: GitCredential | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchRequest extends RepositoryRequest {
  readonly commit: string;
  /** The full name that had it, for servers that give out no commits by their ids. */
  readonly refName?: string | undefined;
}

export interface ReadTreeRequest extends RepositoryRequest, Omit<TreeRequest, "limits"> {
  readonly limits?: Partial<TreeLimits> | undefined;
}

export interface DescendantRequest extends RepositoryRequest {
  readonly older: string;
  readonly newer: string;
  readonly refName?: string | undefined;
}

const mebibyte = 1024 * 1024;
const defaults = {
  fetchTimeoutMs: 60_000,
  maxPackBytes: 256 * mebibyte,
  maxFileBytes: mebibyte,
  maxCacheBytes: 4_096 * mebibyte,
  maxCommits: 100_000,
};
const defaultTreeLimits = { maxFiles: 2_000, maxTotalBytes: 10 * mebibyte };
const readTimeoutMs = 30_000;
const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

/** Histories have commits without trees: kept apart, or a later fetch would take those trees for present. */
type Part = "content" | "history";

/**
 * Repositories on disk, as much of them as was needed. All of it may be removed at any time when nobody uses it. The
 * folder belongs to one process.
 */
export class GitCache {
  readonly #runner: GitRunner;
  readonly #limits: typeof defaults;
  readonly #folder: string;
  readonly #turns = new Turns();
  readonly #space: CacheSpace;
  readonly #onFetch: OnFetch | undefined;

  constructor(options: GitCacheOptions) {
    const { fetchTimeoutMs, maxPackBytes, maxFileBytes, maxCacheBytes, maxCommits } = {
      ...defaults,
      ...options,
    };
    this.#limits = { fetchTimeoutMs, maxPackBytes, maxFileBytes, maxCacheBytes, maxCommits };
    this.#onFetch = options.onFetch;
    this.#runner = new GitRunner({ ...options, folder: join(options.folder, "run") });
    this.#folder = join(options.folder, "repositories");
    this.#space = new CacheSpace(this.#folder, maxCacheBytes, this.#runner.clock);
  }

  /** Makes sure that the cache has the commit with its files, apart from large ones. False when it had it already. */
  async fetchCommit(request: FetchRequest): Promise<boolean> {
    checkIds(request.commit);
    return this.#use({ ...request, id: request.commit }, "content", (context) =>
      this.#fetch({ id: request.commit, refName: request.refName }, context),
    );
  }

  /** Files of a commit that was fetched. `CommitNotFound` when it was not, or was removed since. */
  async readTree(request: ReadTreeRequest): Promise<GitTree> {
    const { maxFileBytes } = this.#limits;
    const limits = { ...defaultTreeLimits, maxFileBytes, ...request.limits };
    checkIds(request.commit);
    return this.#use({ ...request, id: request.commit }, "content", ({ runner, repository, signal }) =>
      readTree({ ...request, limits }, { runner, repository, signal, timeoutMs: readTimeoutMs }),
    );
  }

  /** The date that a commit has from whoever made it: nobody has checked it. Of one that was fetched. */
  async committedAtMs(request: RepositoryRequest & { readonly commit: string }): Promise<number> {
    checkIds(request.commit);
    return this.#use(
      { ...request, id: request.commit },
      "content",
      async ({ runner, repository, signal }) => {
        const args = ["show", "--no-patch", "--format=%ct", "--end-of-options", request.commit];
        const { output } = await runner.run({ args, repository, timeoutMs: readTimeoutMs, signal });
        const seconds = output.toString("latin1").trim();
        if (/^\d{1,11}$/u.test(seconds)) return Number(seconds) * 1_000;
        throw new GitError("CommitNotFound", `The commit ${request.commit} is not in the cache any more.`);
      },
    );
  }

  /** Who signed a commit or a tag, which are fetched where they are missing. */
  async verify(request: RepositoryRequest & VerifyRequest): Promise<Verification> {
    const { commit, tag } = request;
    checkIds(commit, ...(tag === undefined ? [] : [tag.id]));
    const wanted =
      tag === undefined
        ? { id: commit, refName: undefined }
        : { id: tag.id, refName: `refs/tags/${tag.name}` };
    return this.#use({ ...request, id: request.commit }, "content", async (context) => {
      await this.#fetch(wanted, context);
      return verifyObject(request, context);
    });
  }

  /** Whether a commit follows on another, as after a push that was not forced. */
  async isDescendant(request: DescendantRequest): Promise<boolean> {
    checkIds(request.older, request.newer);
    const { maxCommits } = this.#limits;
    return this.#use({ ...request, id: request.newer }, "history", (context) =>
      isAncestor({ ...request, maxCommits }, context),
    );
  }

  /** `NotDescendant` when a commit does not follow on another. */
  async requireDescendant(request: DescendantRequest): Promise<void> {
    if (await this.isDescendant(request)) return;
    const { older, newer } = request;
    throw new GitError(
      "NotDescendant",
      `The commit ${newer} does not follow on ${older}: the branch was moved by force. Push a commit on top of the last one, or allow other histories.`,
      { details: { older, newer } },
    );
  }

  async #fetch(
    { id, refName }: { readonly id: string; readonly refName: string | undefined },
    context: FetchContext,
  ): Promise<boolean> {
    if (await hasObject(id, context)) return false;
    // A filter leaves out files of at least its size; the largest that may be read has one byte less.
    const filter = `blob:limit=${this.#limits.maxFileBytes + 1}`;
    await fetchObject({ id, refName, filter, depth: 1 }, context);
    return true;
  }

  async #use<T>(
    request: RepositoryRequest & { readonly id: string },
    part: Part,
    work: (context: FetchContext) => Promise<T>,
  ): Promise<T> {
    const { credential, signal } = request;
    const address = parseRepositoryUrl(request.url);
    this.#runner.checkProtocol(address);
    checkCredential(credential, address);
    const key = this.#keyOf(address, credential);
    return this.#turns.take(key, signal, async () => {
      const format = formatOf(request.id);
      const repository = join(this.#folder, key, format === "sha1" ? `${part}.git` : `${part}-${format}.git`);
      await using access = await this.#runner.access(address, credential);
      const { fetchTimeoutMs: timeoutMs, maxPackBytes } = this.#limits;
      const limits = { timeoutMs, maxPackBytes };
      const context = {
        runner: this.#runner,
        repository,
        access,
        ...limits,
        signal,
        onFetch: this.#onFetch,
      };
      try {
        await prepareRepository(repository, format, this.#runner);
        return await this.#once(work, context, format);
      } finally {
        await sweepLeftovers(repository);
        await this.#space.used(key, this.#turns);
      }
    });
  }

  /** A repository that a lost disk or a killed process broke is made anew: it holds nothing that the server has not. */
  async #once<T>(
    work: (context: FetchContext) => Promise<T>,
    context: FetchContext,
    format: ObjectFormat,
  ): Promise<T> {
    try {
      return await work(context);
    } catch (error) {
      if (!saysBroken(error)) throw error;
      await rm(context.repository, { recursive: true, force: true });
      await prepareRepository(context.repository, format, context.runner);
      return work(context);
    }
  }

  /** With the size of files: a repository without the large ones would be taken for whole after the limit was raised. */
  #keyOf(address: RepositoryAddress, credential: GitCredential | undefined): string {
    const parts = [normalisedAddress(address), credential?.fingerprint ?? "", this.#limits.maxFileBytes];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
  }
}

/** Repositories have ids of one kind, and only fetch from others of that kind. */
function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? "sha256" : "sha1";
}

function checkIds(...ids: readonly string[]): void {
  const bad = ids.find((id) => !objectId.test(id));
  if (bad !== undefined)
    throw new GitError("InvalidArgument", `${JSON.stringify(bad)} is not the id of a commit.`);
}
