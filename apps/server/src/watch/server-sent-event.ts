import type { BowlineError } from "@bowline/core";
import type { LogItem } from "@bowline/store";

import { errorAnswer } from "../http/error-handler.ts";
import type { WatchView } from "./watcher.ts";

/**
 * One server-sent event: all of `data` on one line, and no `event` field, so that a browser hands every event to
 * `onmessage` and a reader of lines needs nothing but those that begin with `data: `.
 *
 * Only an event after which everything before it has been sent has an id. A client that resumes from the last id it saw
 * therefore misses nothing, also when it was cut off in the middle of the objects there were at first.
 */
export function serverSentEvent(json: string, id?: number): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

export function bookmarkEvent(position: number): Buffer {
  const json = JSON.stringify({ type: "BOOKMARK", metadata: { resourceVersion: String(position) } });
  return Buffer.from(serverSentEvent(json, position));
}

export interface ErrorEventOptions {
  readonly requestId: string;
  /** Where to resume, if the watcher is told that it can. */
  readonly position: number | undefined;
}

/** The last event of a stream; what it says of the error is what any other answer would. */
export function errorEvent(error: BowlineError, { requestId, position }: ErrorEventOptions): Buffer {
  const json = JSON.stringify({ type: "ERROR", ...errorAnswer(error, requestId).body });
  // An empty id makes a browser forget the last one: when it comes back by itself, it begins again.
  if (error.code === "Expired") return Buffer.from(`id\n${serverSentEvent(json)}`);
  return Buffer.from(serverSentEvent(json, position));
}

interface EncodedEvent {
  readonly revision: number;
  readonly bytes: Buffer;
}

/** Small enough to be cut between two chunks when a reader is slow, large enough that a batch is usually one. */
const maxChunkBytes = 64 * 1024;

/** Events that are written together, encoded once for everybody who is sent them. */
export class EventChunk {
  readonly bytes: Buffer;
  readonly #events: readonly EncodedEvent[];

  constructor(events: readonly EncodedEvent[]) {
    this.#events = events;
    const [only] = events;
    this.bytes =
      events.length === 1 && only !== undefined
        ? only.bytes
        : Buffer.concat(events.map(({ bytes }) => bytes));
  }

  get count(): number {
    return this.#events.length;
  }

  get lastRevision(): number {
    return this.#events.at(-1)?.revision ?? 0;
  }

  /** The part that comes after a position: all of it, except for who has just read the log further than others. */
  after(position: number): EventChunk | undefined {
    const [first] = this.#events;
    if (first === undefined || position >= this.lastRevision) return undefined;
    if (position < first.revision) return this;
    return new EventChunk(this.#events.filter(({ revision }) => revision > position));
  }
}

/** The events that a view shows of some items, in chunks. */
export function chunksOf<Item extends LogItem>(view: WatchView<Item>, items: readonly Item[]): EventChunk[] {
  const chunks: EventChunk[] = [];
  let events: EncodedEvent[] = [];
  let size = 0;
  for (const item of items) {
    const bytes = view.eventOf(item);
    if (bytes === undefined) continue;
    if (size + bytes.length > maxChunkBytes && events.length > 0) {
      chunks.push(new EventChunk(events));
      events = [];
      size = 0;
    }
    events.push({ revision: item.revision, bytes });
    size += bytes.length;
  }
  if (events.length > 0) chunks.push(new EventChunk(events));
  return chunks;
}
