import type { EventLogItem, Log, LogPage } from "@bowline/store";
import { serverSentEvent } from "../watch/stream/server-sent-event.ts";
import type { WatchView } from "../watch/stream/watch-view.ts";
import { matchesEvent, type EventFilter } from "./event-filter.ts";

/** Turns each event into bytes once, however many watch. */
export class EventEncoder {
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
export class EventView implements WatchView<EventLogItem> {
  readonly key: string;
  readonly #filter: EventFilter;
  readonly #feed: Pick<Log<EventLogItem>, "read">;
  readonly #encoder: EventEncoder;

  constructor(filter: EventFilter, feed: Pick<Log<EventLogItem>, "read">, encoder: EventEncoder) {
    const { kind, name, cluster, type, reason, withoutKinds } = filter;
    this.key = JSON.stringify([kind, name, cluster, type, reason, withoutKinds]);
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
