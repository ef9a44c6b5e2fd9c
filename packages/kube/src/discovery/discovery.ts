import { BowlineError, hasCode, systemClock, type Clock } from "@bowline/core";
import type { KubeClient } from "../client/kube-client.ts";
import { recordOf, textOf } from "../json-fields.ts";
import { aggregatedAccept, parseAggregated } from "./aggregated-discovery.ts";
import {
  findByKind,
  findByName,
  joinApis,
  type DiscoveredApis,
  type DiscoveredResource,
  type ResourceQueryByKind,
} from "./discovered-apis.ts";
import { parseGroups, readGroups } from "./legacy-discovery.ts";

const maxAgeMs = 600_000;
/** Limit of each request. An aggregated API that hangs must not hold up the others. */
const timeoutMs = 20_000;

interface DiscoveryOptions {
  /** A name that is not in an answer older than this is looked for again: its CRD may be new. Default 10 s. */
  readonly retryMissAfterMs?: number;
  readonly clock?: Clock;
}

interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** `v1.36.1` */
  readonly gitVersion: string;
}

/** The APIs that a server offers, asked for once and kept for a while. */
export class Discovery {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #retryMissAfterMs: number;
  #known: { readonly apis: DiscoveredApis; readonly atMs: number } | undefined;
  #version: { readonly asked: Promise<ServerVersion>; readonly atMs: number } | undefined;
  #asking: Promise<DiscoveredApis> | undefined;

  constructor(client: KubeClient, options: DiscoveryOptions = {}) {
    this.#client = client;
    this.#clock = options.clock ?? systemClock;
    this.#retryMissAfterMs = options.retryMissAfterMs ?? 10_000;
  }

  /** Everything the server offers; `failures` names the group versions that could not be read. */
  async apis(): Promise<DiscoveredApis> {
    return this.#known !== undefined && this.#ageMs() < maxAgeMs ? this.#known.apis : this.#ask();
  }

  /** `undefined` when the server has no such kind. */
  findKind(query: ResourceQueryByKind): Promise<DiscoveredResource | undefined> {
    return this.#find((apis) => findByKind(apis, query));
  }

  /** By plural, singular, kind or short name, optionally with group and version: `deploy`, `deployments.apps`. */
  findName(text: string): Promise<DiscoveredResource | undefined> {
    return this.#find((apis) => findByName(apis, text));
  }

  /** Asked for once and kept for a while, too. */
  serverVersion(): Promise<ServerVersion> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#version !== undefined && nowMs - this.#version.atMs < maxAgeMs) return this.#version.asked;
    const asked = this.#askVersion();
    const version = { asked, atMs: nowMs };
    this.#version = version;
    asked.catch(() => {
      if (this.#version === version) this.#version = undefined;
    });
    return asked;
  }

  async #askVersion(): Promise<ServerVersion> {
    const answer = recordOf(await this.#read("/version", "application/json")) ?? {};
    const gitVersion = textOf(answer["gitVersion"]);
    const numbers = /^v?(\d+)\.(\d+)/.exec(gitVersion ?? "");
    if (gitVersion === undefined || numbers === null) {
      throw new BowlineError("NotKubernetes", "The server does not say which version of Kubernetes it is.");
    }
    return { gitVersion, major: Number(numbers[1]), minor: Number(numbers[2]) };
  }

  /** The next question asks the server again. */
  invalidate(): void {
    this.#known = undefined;
    this.#version = undefined;
  }

  async #find(
    search: (apis: DiscoveredApis) => DiscoveredResource | undefined,
  ): Promise<DiscoveredResource | undefined> {
    const found = search(await this.apis());
    if (found !== undefined || this.#ageMs() < this.#retryMissAfterMs) return found;
    return search(await this.#ask());
  }

  #ageMs(): number {
    return this.#known === undefined
      ? Number.POSITIVE_INFINITY
      : this.#clock.monotonicMs() - this.#known.atMs;
  }

  #ask(): Promise<DiscoveredApis> {
    this.#asking ??= this.#discover().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #discover(): Promise<DiscoveredApis> {
    const atMs = this.#clock.monotonicMs();
    const apis = joinApis(await Promise.all([this.#discoverRoot("/api"), this.#discoverRoot("/apis")]));
    this.#known = { apis, atMs };
    return apis;
  }

  async #discoverRoot(root: "/api" | "/apis"): Promise<DiscoveredApis> {
    const answer = await this.#readRoot(root);
    const read = (group: string, version: string): Promise<unknown> =>
      this.#read(group === "" ? `/api/${version}` : `/apis/${group}/${version}`, "application/json");
    return parseAggregated(answer) ?? readGroups(parseGroups(answer), read);
  }

  /** A server may have only one of the two roots: an aggregated API server has no core group. */
  async #readRoot(root: string): Promise<unknown> {
    try {
      return await this.#read(root, aggregatedAccept);
    } catch (error) {
      if (hasCode(error, "NotFound")) return {};
      throw error;
    }
  }

  async #read(path: string, accept: string): Promise<unknown> {
    const limit = new AbortController();
    const cancel = this.#clock.after(timeoutMs, () => {
      limit.abort(
        new BowlineError("Timeout", `The API server did not answer ${path} within ${timeoutMs} ms.`),
      );
    });
    try {
      return await this.#client.requestJson({
        method: "GET",
        path,
        headers: { accept },
        signal: limit.signal,
      });
    } finally {
      cancel();
    }
  }
}
