import { setTimeout as sleep } from "node:timers/promises";

import type { BundledProgram } from "../bundled-program.ts";
import { MeasuredProcess } from "../measure-process.ts";
import type { RequestTarget } from "./requests.ts";
import type { ResourceUse } from "./resource-use.ts";

/** Something that load can be put on. */
export interface LoadTarget extends RequestTarget {
  use(): Promise<ResourceUse>;
}

interface ClusterList {
  readonly metadata: { readonly resourceVersion: string; readonly total: number; readonly cursor?: string };
}

/** As many as one page may have. */
const maxPageSize = 1000;
const settledLimitMs = 10 * 60_000;
const settledPollMs = 100;

/** A Bowline server in a process of its own, as `bowline server` runs it, with limits that do not bite. */
export class MeasuredServer implements LoadTarget, AsyncDisposable {
  readonly port: number;
  readonly token: string;
  readonly #process: MeasuredProcess;

  static async start(program: BundledProgram, flags: readonly string[]): Promise<MeasuredServer> {
    await using starting = new AsyncDisposableStack();
    const measured = starting.use(
      new MeasuredProcess(program.url, [
        "--listen=127.0.0.1:0",
        "--tls=off",
        "--limits-requests=1000000",
        "--log-level=warn",
        ...flags,
      ]),
    );
    const { port, token } = await measured.ask<RequestTarget>("start");
    starting.move();
    return new MeasuredServer(measured, { port, token });
  }

  private constructor(measured: MeasuredProcess, { port, token }: RequestTarget) {
    this.#process = measured;
    this.port = port;
    this.token = token;
  }

  use(): Promise<ResourceUse> {
    return this.#process.ask("use");
  }

  /** Resolves when the controller has dealt with this many objects. */
  async settled(objects: number, signal: AbortSignal): Promise<void> {
    const endMs = performance.now() + settledLimitMs;
    for (;;) {
      const done = await this.#list("limit=1&fieldSelector=status.conditions.Provisioned%3DTrue");
      if (done.metadata.total >= objects) return;
      if (performance.now() > endMs)
        throw new Error(`Reconciled ${done.metadata.total} of ${objects} objects`);
      await sleep(settledPollMs, undefined, { signal });
    }
  }

  async get(name: string): Promise<{ readonly status: unknown }> {
    return this.#fetch(`/api/v1/clusters/${name}`);
  }

  async resourceVersion(): Promise<string> {
    return (await this.#list("limit=1")).metadata.resourceVersion;
  }

  /** Of the page that begins after this many objects. */
  async cursorAfter(objects: number): Promise<string> {
    let cursor = "";
    for (let read = 0; read < objects;) {
      const limit = Math.min(maxPageSize, objects - read);
      const { metadata } = await this.#list(`limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
      cursor = encodeURIComponent(metadata.cursor ?? "");
      read += limit;
    }
    return decodeURIComponent(cursor);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  async #list(query: string): Promise<ClusterList> {
    return this.#fetch<ClusterList>(`/api/v1/clusters?${query}`);
  }

  async #fetch<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { headers });
    if (!answer.ok) throw new Error(`${answer.status} for ${path}: ${await answer.text()}`);
    const body: T = JSON.parse(await answer.text());
    return body;
  }
}
