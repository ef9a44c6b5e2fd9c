import { request, type IncomingMessage } from "node:http";

import type { ApiObject, WatchEvent } from "@bowline/api";
import { onTestFinished } from "vitest";

/** One server-sent event as a client reads it. */
export interface ReceivedEvent<Item = ApiObject> {
  /** Undefined when the event has none; empty when it takes the last one back. */
  readonly id: string | undefined;
  readonly data: WatchEvent<Item>;
}

/** A client of a stream of server-sent events over a real connection, read one event at a time. */
export class EventSource<Item = ApiObject> {
  readonly response: IncomingMessage;
  readonly #events: AsyncGenerator<ReceivedEvent<Item>>;

  /** Resolves when the answer begins. The connection is cut when the test ends. */
  static async open<Item = ApiObject>(
    url: string,
    headers: Record<string, string> = {},
  ): Promise<EventSource<Item>> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = request(url, { headers, agent: false }, resolve);
    outgoing.on("error", reject);
    outgoing.end();
    onTestFinished(() => void outgoing.destroy());
    return new EventSource(await promise);
  }

  constructor(response: IncomingMessage) {
    this.response = response;
    response.on("error", () => {});
    this.#events = readEvents(response);
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<ReceivedEvent<Item> | undefined> {
    const { value, done } = await this.#events.next();
    return done === true ? undefined : value;
  }

  async take(count: number): Promise<ReceivedEvent<Item>[]> {
    const events: ReceivedEvent<Item>[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  /** Everything up to and with the first event of a type, or up to the end. */
  async until(type: WatchEvent<Item>["type"]): Promise<ReceivedEvent<Item>[]> {
    const events: ReceivedEvent<Item>[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      events.push(event);
      if (event.data.type === type) break;
    }
    return events;
  }

  /** The next events that are not bookmarks. */
  async changes(count: number): Promise<ReceivedEvent<Item>[]> {
    const events: ReceivedEvent<Item>[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      if (event.data.type !== "BOOKMARK") events.push(event);
    }
    return events;
  }

  /** The answer as text, where it is no stream. */
  async text(): Promise<string> {
    let text = "";
    for await (const part of this.response.setEncoding("utf8")) text += String(part);
    return text;
  }

  /** Goes away without a word. */
  cut(): void {
    this.response.destroy();
  }
}

async function* readEvents<Item>(response: IncomingMessage): AsyncGenerator<ReceivedEvent<Item>> {
  let rest = "";
  try {
    for await (const part of response.setEncoding("utf8")) {
      const events = `${rest}${part}`.split("\n\n");
      rest = events.pop() ?? "";
      for (const text of events) yield parseEvent(text);
    }
  } catch {
    // Cut by one side or the other.
  }
}

function parseEvent<Item>(text: string): ReceivedEvent<Item> {
  let id: string | undefined;
  let data = "";
  for (const line of text.split("\n")) {
    if (line === "id") id = "";
    else if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data += line.slice(6);
    else throw new Error(`The stream has a line that no simple reader expects: ${line}`);
  }
  return { id, data: JSON.parse(data) };
}
