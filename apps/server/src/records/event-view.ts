import type { EventLog, ToldEvent } from "@bowline/store";
import { serverSentEvent } from "../watch/stream/server-sent-event.ts";
import type { LogPage, WatchView } from "../watch/stream/watch-view.ts";
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
  readonly #events: Pick<EventLog, "read">;
  readonly #encoder: EventEncoder;

  constructor(filter: EventFilter, events: Pick<EventLog, "read">, encoder: EventEncoder) {
    const { kind, name, cluster, type, reason, withoutKinds } = filter;
    this.key = JSON.stringify([kind, name, cluster, type, reason, withoutKinds]);
    this.#filter = filter;
    this.#events = events;
    this.#encoder = encoder;
  }

  eventOf(told: ToldEvent): Buffer | undefined {
    return matchesEvent(this.#filter, told.event) ? this.#encoder.encode(told) : undefined;
  }

  async read(after: number, limit: number): Promise<LogPage<ToldEvent>> {
    const { events, resourceVersion } = await this.#events.read({ after: String(after), limit });
    return { items: events, position: Number(resourceVersion) };
  }
}
