import { setTimeout as sleep } from "node:timers/promises";

import type { Cluster } from "@bowline/api";

import { EventSource, type ReceivedEvent } from "../../watch/testing/event-source.ts";

export interface ResumingWatchOptions {
  /** Of all servers; when one ends the watch, it goes on at the next. */
  readonly urls: readonly string[];
  readonly token: string;
  /** The resourceVersion to begin after. */
  readonly after: string;
}

/** A change as a watch told it. */
export interface WatchedChange {
  readonly type: string;
  readonly resourceVersion: number;
  readonly name: string;
  readonly generation: number;
  readonly region: string | undefined;
}

const reconnectDelayMs = 50;
/** How a server says that another one, or the same a little later, can go on. */
const passing: ReadonlySet<string> = new Set(["ServerUnavailable", "DatabaseUnavailable"]);

/** A watch of all clusters that goes on after the last event it was told, as browsers do, whenever it is cut off. */
export class ResumingWatch implements AsyncDisposable {
  readonly changes: WatchedChange[] = [];
  /** Events that a watch should never be told. */
  readonly problems: string[] = [];
  readonly #options: ResumingWatchOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #connections = 0;
  #lastEventId: string | undefined;

  /** It begins at once. */
  constructor(options: ResumingWatchOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** How often a server let it begin or go on. */
  get connections(): number {
    return this.#connections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { urls } = this.#options;
    const { signal } = this.#stop;
    for (let turn = 0; !signal.aborted; turn += 1) {
      const source = await this.#open(urls[turn % urls.length] ?? "");
      if (source !== undefined) await this.#follow(source);
      await sleep(reconnectDelayMs, undefined, { signal }).catch(() => {});
    }
  }

  async #open(url: string): Promise<EventSource<Cluster> | undefined> {
    const { token, after } = this.#options;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(this.#lastEventId === undefined ? {} : { "last-event-id": this.#lastEventId }),
    };
    try {
      return await EventSource.open(`${url}/api/v1/clusters?watch=1&resourceVersion=${after}`, headers);
    } catch {
      // Nobody listens there now.
      return undefined;
    }
  }

  async #follow(source: EventSource<Cluster>): Promise<void> {
    const { signal } = this.#stop;
    const cut = (): void => source.cut();
    signal.addEventListener("abort", cut);
    // It may have been stopped before there was anything to cut.
    if (signal.aborted) cut();
    try {
      if (source.status === 503) return;
      if (source.status !== 200) return void this.problems.push(`${source.status} ${await source.text()}`);
      this.#connections += 1;
      for (let event = await source.next(); event !== undefined; event = await source.next())
        this.#take(event);
    } finally {
      signal.removeEventListener("abort", cut);
      source.cut();
    }
  }

  #take({ id, data }: ReceivedEvent<Cluster>): void {
    if (id !== undefined) this.#lastEventId = id;
    if (data.type === "ERROR") {
      if (!passing.has(data.error.code)) this.problems.push(JSON.stringify(data));
    } else if (data.type !== "BOOKMARK") {
      const { metadata, spec } = data.object;
      const { name, generation, resourceVersion } = metadata;
      const { type } = data;
      this.changes.push({
        type,
        resourceVersion: Number(resourceVersion),
        name,
        generation,
        region: spec.region,
      });
    }
  }
}
