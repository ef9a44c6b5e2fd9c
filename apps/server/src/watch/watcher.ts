import { setImmediate as nextTurn } from "node:timers/promises";

import { BowlineError, errorCodes } from "@bowline/core";
import { parseRevision, type LogItem, type LogPage } from "@bowline/store";

import { chunksOf, bookmarkEvent, errorEvent, type EventChunk } from "./server-sent-event.ts";
import type { EventStream } from "./event-stream.ts";
import type { LiveFeed } from "./live-feed.ts";
import type { WatchMeter } from "./watch-metrics.ts";

/** The events before the first bookmark, in pieces; ends with the position in the log that they bring a watcher to. */
export type Opening = AsyncGenerator<OpeningChunk, number>;

export interface OpeningChunk {
  readonly bytes: Buffer;
  readonly count: number;
}

export interface WatcherOptions<Item extends LogItem> {
  readonly stream: EventStream;
  readonly feed: LiveFeed<Item>;
  readonly view: WatchView<Item>;
  readonly meter: WatchMeter;
  readonly opening: Opening;
  readonly requestId: string;
  readonly maxBufferedBytes: number;
  /** Told what clients are not: the cause of a failure that nobody foresaw. */
  readonly onError?: ((error: BowlineError, requestId: string) => void) | undefined;
}

/** How much of the log is read at once for a watcher that is not up to date: as much as it has taken lately. */
const pageLimits = { min: 10, max: 200 } as const;

/**
 * One client that watches.
 *
 * States:
 * - opening: it is sent what there was before it came
 * - behind: it reads the log for itself, no faster than its connection takes it
 * - live: it is handed what the feed reads; when it takes that too slowly, it falls behind again
 * - over: its stream has ended, or the client is gone
 *
 * What it holds in memory is bounded in every state: a piece of the opening, a page of the log or `maxBufferedBytes`.
 */
export class Watcher<Item extends LogItem> {
  readonly view: WatchView<Item>;
  readonly meter: WatchMeter;
  readonly #options: WatcherOptions<Item>;
  /** Everything up to here has been sent; undefined during the opening. */
  #position: number | undefined;
  #bookmarkedAt: number | undefined;
  #pageLimit: number = pageLimits.max;
  #live: PromiseWithResolvers<void> | undefined;
  #refusal: BowlineError | undefined;

  constructor(options: WatcherOptions<Item>) {
    this.#options = options;
    this.view = options.view;
    this.meter = options.meter;
  }

  get position(): number {
    return this.#position ?? 0;
  }

  /** Resolves when the watch is over. Rejects only when nothing has been sent. */
  async run(): Promise<void> {
    const { stream, opening } = this.#options;
    void stream.closed.then(() => this.#leaveLive());
    const first = await opening.next();
    if (this.#refusal !== undefined) {
      await opening.return(0);
      throw this.#refusal;
    }
    stream.open();
    try {
      await this.#open(first);
      while (stream.isOpen) {
        await this.#catchUp();
        await this.#live?.promise;
      }
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      if (errorCodes[error.code].httpStatus === 500) this.#options.onError?.(error, this.#options.requestId);
      this.end(error);
    } finally {
      await opening.return(0);
    }
    await stream.closed;
  }

  /** Ends the watch and tells the client why, and from where it can go on. */
  end(error: BowlineError): void {
    const { stream, requestId } = this.#options;
    this.#refusal ??= error;
    this.#leaveLive();
    stream.end(errorEvent(error, { requestId, position: this.#position }));
  }

  /** Writes what of a chunk is new, unless too much waits to be read already; returns what was written. */
  receive(chunk: EventChunk): EventChunk | undefined {
    if (this.#live === undefined) return undefined;
    const news = chunk.after(this.position);
    if (news === undefined) return undefined;
    const { stream } = this.#options;
    if (!this.#hasRoomFor(news.bytes)) {
      this.meter.fellBehind();
      this.#leaveLive();
      return undefined;
    }
    stream.write(news.bytes);
    this.#position = news.lastRevision;
    return news;
  }

  /** One that still has something to read needs no sign of life. */
  receiveBookmark(position: number, bytes: Buffer): void {
    const { stream } = this.#options;
    if (position < this.position || stream.bufferedBytes > 0) return;
    stream.write(bytes);
  }

  async #open(first: IteratorResult<OpeningChunk, number>): Promise<void> {
    const { stream, opening } = this.#options;
    let step = first;
    while (step.done !== true) {
      stream.write(step.value.bytes);
      this.meter.sent(step.value.count, step.value.bytes.length);
      await stream.drained();
      if (!stream.isOpen) return;
      step = await opening.next();
    }
    this.#position = step.value;
    this.#bookmark();
  }

  #bookmark(): void {
    if (this.#bookmarkedAt === this.position) return;
    this.#bookmarkedAt = this.position;
    this.#options.stream.write(bookmarkEvent(this.position));
  }

  /** Reads the log until there is no more than what the feed has sent to the others. */
  async #catchUp(): Promise<void> {
    const { stream, feed } = this.#options;
    for (;;) {
      await stream.drained();
      await feed.ready();
      if (!stream.isOpen) return;
      if (feed.admit(this)) {
        this.#live = Promise.withResolvers();
        // Here and not later: before anything else is sent, because no id may be smaller than one before.
        this.#bookmark();
        return;
      }
      const page = await this.view.read(this.position, this.#pageLimit);
      if (!stream.isOpen) return;
      this.#sendPage(page);
      // A database that answers at once would otherwise be read to the end of the log before anything else happens.
      await nextTurn();
    }
  }

  /** Events that do not fit are read again when there is room: none waits in memory with a reader that stalls. */
  #sendPage({ items, position }: LogPage<Item>): void {
    for (const chunk of chunksOf(this.view, items)) {
      if (!this.#hasRoomFor(chunk.bytes)) {
        const taken = items.filter(({ revision }) => revision <= this.position).length;
        this.#pageLimit = Math.min(pageLimits.max, Math.max(pageLimits.min, 2 * taken));
        return;
      }
      this.#options.stream.write(chunk.bytes);
      this.meter.sent(chunk.count, chunk.bytes.length);
      this.#position = chunk.lastRevision;
    }
    this.#position = position;
    this.#pageLimit = Math.min(pageLimits.max, 2 * this.#pageLimit);
  }

  /** While the network takes it, anything passes: a chunk larger than the limit has to, some time. */
  #hasRoomFor(bytes: Buffer): boolean {
    const { stream, maxBufferedBytes } = this.#options;
    return !stream.isBackedUp || stream.bufferedBytes + bytes.length <= maxBufferedBytes;
  }

  #leaveLive(): void {
    if (this.#live === undefined) return;
    const { feed } = this.#options;
    this.#position = Math.max(this.position, feed.position);
    feed.remove(this);
    this.#live.resolve();
    this.#live = undefined;
  }
}

/** The part of a log that a watcher wants to see. */
export interface WatchView<Item extends LogItem> {
  /** Watchers with the same key see the same. */
  readonly key: string;
  /** The event that an item is, encoded; undefined when it is none of what is wanted. */
  eventOf(item: Item): Buffer | undefined;
  /** A part of the log for a watcher that is not up to date. Items that are surely not wanted may be missing. */
  read(after: number, limit: number): Promise<LogPage<Item>>;
}

/** The opening of a watch that goes on from a position: nothing, once it is known that the log reaches back so far. */
// oxlint-disable-next-line require-yield -- an opening that sends nothing
export async function* resumption<Item extends LogItem>(
  view: Pick<WatchView<Item>, "read">,
  since: string,
): Opening {
  const position = parseRevision(since);
  await view.read(position, 1);
  return position;
}
