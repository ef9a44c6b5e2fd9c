import { readEvent, SseDecoder } from "@bowline/client/events";

import type { StreamRequest } from "./streams.ts";

/** What an answer says about a list. */
export type FeedChange<Item> =
  | { readonly type: "set"; readonly key: string; readonly item: Item }
  | { readonly type: "delete"; readonly key: string }
  /** So many there are in all: some servers tell before all of them have come. */
  | { readonly type: "total"; readonly total: number }
  /** Everything that was there has been told; from here on it is changes. */
  | { readonly type: "listed" };

/**
 * How a list is asked for and kept up to date: one request after the other, each from where the last one got to. It
 * remembers what was seen, and nothing else; connections, retries and what is shown meanwhile are not its matter.
 */
export interface WatchFeed<Item> {
  /** Whether the next request begins the list from its start. */
  readonly isAnew: boolean;
  /** After how long without a byte something is wrong; missing where a server may well be quiet. */
  readonly lateAfterMs?: number;
  next(): StreamRequest;
  /** Reads the answer to what was asked last. */
  read(): FeedReader<Item>;
  /** The server has forgotten what was seen. */
  restart(): void;
}

/** Reads one answer. Throws a `BowlineError` where the server breaks it off with a reason. */
export interface FeedReader<Item> {
  /** Whether the end of the answer is one step of many, and the next request follows at once. */
  readonly isPage: boolean;
  start(): Iterable<FeedChange<Item>>;
  take(bytes: Uint8Array): Iterable<FeedChange<Item>>;
  end(): Iterable<FeedChange<Item>>;
}

/** The server says every ten seconds that it is there. */
const lateAfterMs = 15_000;
const maxEventBytes = 16 * 1024 * 1024;

/** A watch of the server's own, as `docs/reference/watch.md` describes it: list and changes in one answer. */
export class SseFeed<Item> implements WatchFeed<Item> {
  readonly lateAfterMs = lateAfterMs;
  readonly #path: string;
  readonly #keyOf: (item: Item) => string;
  #lastSeen: string | undefined;

  /** The address is that of the watch, without where to begin. */
  constructor(path: string, keyOf: (item: Item) => string) {
    this.#path = path;
    this.#keyOf = keyOf;
  }

  get isAnew(): boolean {
    return this.#lastSeen === undefined;
  }

  next(): StreamRequest {
    const since = this.#lastSeen === undefined ? "" : `&resourceVersion=${this.#lastSeen}`;
    return { get: `${this.#path}${this.#path.includes("?") ? "&" : "?"}watch=1${since}` };
  }

  restart(): void {
    this.#lastSeen = undefined;
  }

  read(): FeedReader<Item> {
    const decoder = new SseDecoder(maxEventBytes);
    return {
      isPage: false,
      start: () => [],
      take: (bytes) => this.#take(decoder, bytes),
      end: () => [],
    };
  }

  *#take(decoder: SseDecoder, bytes: Uint8Array): Generator<FeedChange<Item>> {
    for (const { id, data } of decoder.decode(bytes)) {
      const event = readEvent<Item>(data);
      if (event?.type === "BOOKMARK") yield { type: "listed" };
      else if (event?.type === "DELETED") yield { type: "delete", key: this.#keyOf(event.object) };
      else if (event !== undefined) yield { type: "set", key: this.#keyOf(event.object), item: event.object };
      this.#lastSeen = id ?? this.#lastSeen;
    }
  }
}
