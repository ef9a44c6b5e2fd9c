import type { ServerResponse } from "node:http";

import type { EventRecord } from "@bowline/api";
import {
  clusterEventSource,
  type EventLogItem,
  type EventQuery,
  type Log,
  type LogPage,
} from "@bowline/store";

import { LiveFeed } from "../watch/live-feed.ts";
import { resumption, type Opening, type WatchView } from "../watch/watcher.ts";
import type { WatcherPool } from "../watch/watcher-pool.ts";
import { serverSentEvent } from "../watch/server-sent-event.ts";

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

/** Turns each event into bytes once, however many watch. */
class EventEncoder {
  readonly #encoded = new WeakMap<EventLogItem, Buffer>();

  encode(item: EventLogItem): Buffer {
    const known = this.#encoded.get(item);
    if (known !== undefined) return known;
    const { revision, event } = item;
    const type = event.count === 1 ? "ADDED" : "MODIFIED";
    const bytes = Buffer.from(serverSentEvent(JSON.stringify({ type, object: event }), revision));
    this.#encoded.set(item, bytes);
    return bytes;
  }
}

/** The events that match. */
class EventView implements WatchView<EventLogItem> {
  readonly key: string;
  readonly #filter: EventFilter;
  readonly #feed: Pick<Log<EventLogItem>, "read">;
  readonly #encoder: EventEncoder;

  constructor(filter: EventFilter, feed: Pick<Log<EventLogItem>, "read">, encoder: EventEncoder) {
    const { kind, name, cluster, instance, type, reason, own, withoutKinds } = filter;
    this.key = JSON.stringify([kind, name, cluster, instance, type, reason, own, withoutKinds]);
    this.#filter = filter;
    this.#feed = feed;
    this.#encoder = encoder;
  }

  eventOf(item: EventLogItem): Buffer | undefined {
    return matchesEvent(this.#filter, item.event) ? this.#encoder.encode(item) : undefined;
  }

  read(after: number, limit: number): Promise<LogPage<EventLogItem>> {
    return this.#feed.read({ after, limit });
  }
}

/** The events that somebody asked for and may see. */
export type EventFilter = Omit<EventQuery, "limit" | "cursor">;

/** The same that the store's list selects by. */
function matchesEvent(filter: EventFilter, event: EventRecord): boolean {
  const { type, reason, regarding, instance, source } = event;
  const isOwn = source !== clusterEventSource;
  const wanted = (value: string | undefined, actual: string | undefined): boolean =>
    value === undefined || value === actual;
  return (
    wanted(filter.kind, regarding.kind) &&
    wanted(filter.name, regarding.name) &&
    wanted(filter.cluster, regarding.cluster) &&
    wanted(filter.instance, instance) &&
    wanted(filter.type, type) &&
    wanted(filter.reason, reason) &&
    (isOwn || filter.own !== true) &&
    !(isOwn && filter.withoutKinds?.includes(regarding.kind) === true)
  );
}
