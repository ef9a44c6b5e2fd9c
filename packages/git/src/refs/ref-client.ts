import { join } from "node:path";

import { withDeadline } from "@bowline/core";

import { checkCredential, type GitCredential } from "../model/credential.ts";
import { cancelled, GitError } from "../model/git-error.ts";
import { parseRepositoryUrl } from "../model/repository-url.ts";
import { gitFailure } from "../run/git-failure.ts";
import { GitRunner, type GitRunnerOptions } from "../run/git-runner.ts";
import { HttpRefs, type HttpRefsRequest } from "./http-refs.ts";
import { RefList, type GitRef } from "./ref-list.ts";

export interface RefClientOptions extends GitRunnerOptions {
  readonly timeoutMs?: number;
  readonly maxRefs?: number;
  readonly maxBytes?: number;
}

export interface ListRefsRequest {
  readonly url: string;
  readonly credential?: GitCredential | undefined;
  /** Beginnings of full names, such as `refs/heads/main`; all refs when there is none. */
  readonly prefixes: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const defaults = { timeoutMs: 20_000, maxRefs: 50_000, maxBytes: 16 * 1024 * 1024 };
const refPrefix = /^[\w./+@-]+$/u;

/** Asks git servers which refs they have: over HTTP by itself, over SSH through the git command. */
export class RefClient implements AsyncDisposable {
  readonly #runner: GitRunner;
  readonly #http = new HttpRefs();
  readonly #limits: typeof defaults;

  constructor(options: RefClientOptions) {
    const { timeoutMs, maxRefs, maxBytes } = { ...defaults, ...options };
    this.#limits = { timeoutMs, maxRefs, maxBytes };
    this.#runner = new GitRunner({ ...options, folder: join(options.folder, "refs") });
  }

  /** The refs below all prefixes, in one request, sorted by name. */
  async listRefs({ url, credential, prefixes, signal }: ListRefsRequest): Promise<GitRef[]> {
    if (signal?.aborted === true) throw cancelled(signal);
    const address = parseRepositoryUrl(url);
    this.#runner.checkProtocol(address);
    checkCredential(credential, address);
    const bad = prefixes.find((prefix) => !refPrefix.test(prefix));
    if (bad !== undefined)
      throw new GitError("InvalidArgument", `"${bad}" is not the beginning of a ref's name.`);
    const { maxRefs, maxBytes, timeoutMs } = this.#limits;
    const request = { address, credential, prefixes, maxRefs, maxBytes };
    const isHttp = address.protocol === "https" || address.protocol === "http";
    if (!isHttp) return this.#listByCommand({ ...request, signal });
    return withDeadline((limited) => this.#http.list({ ...request, signal: limited }), {
      clock: this.#runner.clock,
      limitMs: timeoutMs,
      signal,
      onTimeout: () =>
        new GitError("Timeout", `${address.url} did not answer within ${timeoutMs / 1_000} s.`, {
          details: { url },
        }),
    }).catch((error: unknown) => {
      throw signal?.aborted === true ? cancelled(signal) : error;
    });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.#http.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #listByCommand(
    request: Omit<HttpRefsRequest, "signal"> & { readonly signal: AbortSignal | undefined },
  ): Promise<GitRef[]> {
    const { address, credential, prefixes, maxRefs, maxBytes, signal } = request;
    await using access = await this.#runner.access(address, credential);
    // A pattern of ls-remote must match whole parts of a name: the star makes a prefix of it.
    const patterns = prefixes.flatMap((prefix) => [prefix, `${prefix}*`]);
    const { exitCode, output, complaint } = await this.#runner.run({
      args: ["ls-remote", "--quiet", "--symref", "--end-of-options", address.url, ...patterns],
      access,
      timeoutMs: this.#limits.timeoutMs,
      maxOutputBytes: maxBytes,
      signal,
    });
    if (exitCode !== 0) throw gitFailure(complaint, access);
    const list = new RefList({ url: address.url, prefixes, maxRefs });
    const targets: [string, string][] = [];
    for (const line of output.toString("utf8").split("\n")) {
      const [id, name] = line.split("\t");
      if (id === undefined || name === undefined) continue;
      if (id.startsWith("ref: ")) targets.push([name, id.slice("ref: ".length)]);
      else list.addLine(id, name);
    }
    for (const [name, target] of targets) list.setTarget(name, target);
    return list.refs();
  }
}
