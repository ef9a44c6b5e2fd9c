import type { Log, LogPage, ToldEvent } from "@bowline/store";
import { serverSentEvent } from "../watch/stream/server-sent-event.ts";
import type { WatchView } from "../watch/stream/watch-view.ts";
import { matchesEvent, type EventFilter } from "./event-filter.ts";

/** Turns each event into bytes once, however many watch. */
export class EventEncoder {
  readonly #encoded = new WeakMap<ToldEvent, Buffer>();

  encode(told: ToldEvent): Buffer {
    const known = this.#encoded.get(told);
    if (known !== undefined) return known;
    const { revision, event } = told;
    const type = event.count === 1 ? "ADDED" : "MODIFIED";
    const bytes = Buffer.from(serverSentEvent(JSON.stringify({ type, object: event }), revision));
    this.#encoded.set(told, bytes);
    return bytes;
  }
}

/** The events that match. */
export class EventView implements WatchView<ToldEvent> {
  readonly key: string;
  readonly #filter: EventFilter;
  readonly #feed: Pick<Log<ToldEvent>, "read">;
  readonly #encoder: EventEncoder;

  constructor(filter: EventFilter, feed: Pick<Log<ToldEvent>, "read">, encoder: EventEncoder) {
    const { kind, name, cluster, type, reason, withoutKinds } = filter;
    this.key = JSON.stringify([kind, name, cluster, type, reason, withoutKinds]);
    this.#filter = filter;
    this.#feed = feed;
    this.#encoder = encoder;
  }

  eventOf(told: ToldEvent): Buffer | undefined {
    return matchesEvent(this.#filter, told.event) ? this.#encoder.encode(told) : undefined;
  }

  read(after: number, limit: number): Promise<LogPage<ToldEvent>> {
    return this.#feed.read({ after, limit });
  }
}
