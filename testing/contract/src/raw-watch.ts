import type { Readable } from "node:stream";

import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

import { collectionPath } from "./collection-path.ts";
import { linesOf } from "./lines-of.ts";

export interface RawEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

export interface RawWatchOptions {
  readonly namespace?: string;
  readonly name?: string;
  /** As the API spells them: `resourceVersion`, `labelSelector`, `allowWatchBookmarks`, … */
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly accept?: string;
}

/** Silence for this long means that the event will not come. Nothing is proven by how fast it comes. */
const silenceMs = 20_000;

/** The events of one watch request exactly as the server sends them, without any of the client's repairs. */
export class RawWatch implements Disposable {
  readonly #body: Readable;
  readonly #lines: AsyncIterator<string>;

  private constructor(body: Readable) {
    this.#body = body;
    this.#lines = linesOf(body);
  }

  static async open(
    client: KubeClient,
    resource: ResourceRef,
    options: RawWatchOptions = {},
  ): Promise<RawWatch> {
    const { namespace, name, query = {}, accept = "application/json" } = options;
    const ofName = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
    const response = await client.requestStream({
      method: "GET",
      path: collectionPath(resource, namespace, { watch: true, ...ofName, ...query }),
      headers: { accept },
      longLived: true,
    });
    return new RawWatch(response.body);
  }

  /** `undefined` when the server has ended the watch. */
  async next(): Promise<RawEvent | undefined> {
    const line = await withinLimit(this.#lines.next());
    if (line.done === true) return undefined;
    const event: RawEvent = JSON.parse(line.value);
    return event;
  }

  async take(count: number): Promise<RawEvent[]> {
    const events: RawEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`The watch ended after ${events.length} of ${count} events.`);
      events.push(event);
    }
    return events;
  }

  /** Everything up to the end the server makes. */
  async rest(): Promise<RawEvent[]> {
    const events: RawEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) events.push(event);
    return events;
  }

  [Symbol.dispose](): void {
    this.#body.destroy();
  }
}

async function withinLimit<T>(awaited: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The watch was silent for ${silenceMs} ms.`)), silenceMs);
  });
  try {
    return await Promise.race([awaited, silence]);
  } finally {
    clearTimeout(timer);
  }
}
