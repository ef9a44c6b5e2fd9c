import type { LogItem } from "@bowline/store";

import type { WatchView } from "./watch-view.ts";

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

/** What a view shows of some items, in chunks. */
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
