import type { ServerResponse } from "node:http";

import type { EventLogItem, Log } from "@bowline/store";

import { LiveFeed } from "../watch/stream/live-feed.ts";
import { resumption } from "../watch/stream/resumption.ts";
import type { WatcherPool } from "../watch/stream/watcher-pool.ts";
import type { Opening } from "../watch/stream/watcher.ts";
import type { EventFilter } from "./event-filter.ts";
import { EventEncoder, EventView } from "./event-view.ts";

export interface EventWatchRequest {
  readonly filter: EventFilter;
  /** Send what was told after this resourceVersion; undefined for what is told from now on. */
  readonly since: string | undefined;
  /** Ends the watch. Its reason is told to the client when it is a `BowlineError`. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

/** Watches of events: each is sent when it happens, and again, with a higher count, when it happens again. */
export class EventWatch {
  readonly #log: Log<EventLogItem>;
  readonly #pool: WatcherPool;
  readonly #feed: LiveFeed<EventLogItem>;
  readonly #encoder = new EventEncoder();

  constructor(log: Log<EventLogItem>, pool: WatcherPool) {
    const { clock, limits } = pool;
    this.#log = log;
    this.#pool = pool;
    this.#feed = new LiveFeed({ log, clock, ...limits });
  }

  /** As `WatchService.serve`. */
  serve({ filter, since, signal, requestId }: EventWatchRequest, response: ServerResponse): Promise<void> {
    const view = new EventView(filter, this.#log, this.#encoder);
    const opening = since === undefined ? fromNow(this.#log) : resumption(view, since);
    return this.#pool.serve({ kind: "Event", feed: this.#feed, view, opening, signal, requestId }, response);
  }
}

// oxlint-disable-next-line require-yield -- an opening that sends nothing
async function* fromNow(log: Pick<Log<EventLogItem>, "head">): Opening {
  return log.head();
}
