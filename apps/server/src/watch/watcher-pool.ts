import type { ServerResponse } from "node:http";

import { BowlineError, type Clock } from "@bowline/core";
import type { LogItem } from "@bowline/store";

import { EventStream } from "./event-stream.ts";
import type { LiveFeed } from "./live-feed.ts";
import type { WatchMetrics } from "./watch-metrics.ts";
import { Watcher, type WatchView, type Opening } from "./watcher.ts";

export interface WatcherPoolOptions {
  readonly clock: Clock;
  readonly limits: WatchLimits;
  readonly metrics: WatchMetrics;
  /** Told what clients are not: the cause of a failure that nobody foresaw, once a stream has begun. */
  readonly onError?: ((error: BowlineError, requestId: string) => void) | undefined;
}

/** Somebody who wants to watch. */
export interface WatchSession<Item extends LogItem> {
  readonly kind: string;
  readonly feed: LiveFeed<Item>;
  readonly view: WatchView<Item>;
  readonly opening: Opening;
  readonly signal: AbortSignal;
  readonly requestId: string;
}

/** All watchers of a process, whatever they watch: how many there may be, and who ends them. */
export class WatcherPool {
  readonly #options: WatcherPoolOptions;
  readonly #watchers = new Set<{ end(error: BowlineError): void }>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: WatcherPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#watchers.size;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get limits(): WatchLimits {
    return this.#options.limits;
  }

  /** Resolves when the watch is over; rejects only when nothing has been sent. */
  async serve<Item extends LogItem>(session: WatchSession<Item>, response: ServerResponse): Promise<void> {
    this.#requireRoom();
    if (session.signal.aborted) throw reasonOf(session.signal);
    const running = this.#run(session, response);
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends every watch; each client is told from where to go on, at another replica or when this one is back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const watcher of this.#watchers) watcher.end(stopping());
    await Promise.allSettled(this.#running);
  }

  async #run<Item extends LogItem>(session: WatchSession<Item>, response: ServerResponse): Promise<void> {
    const { clock, limits, metrics, onError } = this.#options;
    const { signal, requestId, feed } = session;
    const meter = metrics.meter(session.kind);
    const stream = new EventStream(response, { clock, requestId, ...limits });
    const { maxBufferedBytes } = limits;
    const watcher = new Watcher({ ...session, stream, meter, maxBufferedBytes, onError });
    const onAbort = (): void => watcher.end(reasonOf(signal));
    signal.addEventListener("abort", onAbort);
    this.#watchers.add(watcher);
    const release = feed.retain();
    const closeMeter = meter.opened();
    try {
      await watcher.run();
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#watchers.delete(watcher);
      stream.abandon();
      release();
      closeMeter();
    }
  }

  #requireRoom(): void {
    const { maxWatchers } = this.#options.limits;
    if (this.#isClosed) throw stopping();
    if (this.#watchers.size < maxWatchers) return;
    throw new BowlineError(
      "TooManyRequests",
      `This server has as many watches as it takes, which is ${maxWatchers}; try again later.`,
    );
  }
}

function stopping(): BowlineError {
  return new BowlineError(
    "ServerUnavailable",
    "The server stops; watch again from the last id, which another replica answers.",
  );
}

function reasonOf(signal: AbortSignal): BowlineError {
  const reason: unknown = signal.reason;
  if (reason instanceof BowlineError) return reason;
  return new BowlineError("Cancelled", "The watch was ended; watch again from the last id.", {
    cause: reason,
  });
}

/** Limits of what watchers may cost. */
export interface WatchLimits {
  /** How many watchers there may be in this process. */
  readonly maxWatchers: number;
  /** How often a watcher is told that it is alive and up to date. Proxies tend to cut what is silent for a minute. */
  readonly bookmarkMs: number;
  /** The shortest time between two sends: what happens meanwhile goes out together. */
  readonly batchMs: number;
  /** The bytes kept in memory for one watcher that reads slowly; beyond that it is left to read the log. */
  readonly maxBufferedBytes: number;
  /** How long a watcher may take nothing of what is kept for it before its connection is cut. */
  readonly stallMs: number;
  /** How long the end of a stream may take to be read. */
  readonly endGraceMs: number;
}

export const defaultWatchLimits: WatchLimits = {
  maxWatchers: 2_000,
  bookmarkMs: 10_000,
  batchMs: 5,
  maxBufferedBytes: 256 * 1024,
  stallMs: 60_000,
  endGraceMs: 5_000,
};
