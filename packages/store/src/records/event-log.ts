import type { EventRecord } from "@bowline/api";
import type { Clock } from "@bowline/core";
import { sql } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { LogFeed, type LogTable, type TablePage, type TableQuery } from "../log/log-feed.ts";
import { requireKept, type LogItem } from "../log/log.ts";
import { logIds, logState, takeNumbers } from "../log/log-state.ts";
import type { RowOf } from "../engine/tables.ts";
import { clusterEventSource } from "./cluster-events.ts";
import { decodeCursor, encodeCursor, maxCountedRecords, requireLimit, type RecordPage } from "./page.ts";
import { eventRecordOf, foldEvents, type NewEvent } from "./event-rows.ts";

export interface EventLogOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: () => string;
  /** How often to look for what other replicas told, while somebody follows. */
  readonly pollMs: number;
}

export interface EventPage extends RecordPage<EventRecord> {
  /** As new as the first page: a watch from here misses nothing. */
  readonly resourceVersion: string;
}

/** An event as it was the last time it happened. */
export interface EventLogItem extends LogItem {
  readonly event: EventRecord;
}

export interface EventQuery {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly cluster?: string | undefined;
  /** Only of what belongs to this WorkloadInstance. */
  readonly instance?: string | undefined;
  readonly type?: EventRecord["type"] | undefined;
  readonly reason?: string | undefined;
  /** Leaves out Events of clusters: kinds of Kubernetes may be called like Bowline's. */
  readonly own?: boolean | undefined;
  /** Leaves out what happened to Bowline's own objects of these kinds. */
  readonly withoutKinds?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Keeps the parameters of one statement far below what either database takes. */
const maxRowsPerStatement = 500;

/** Rough size of an event's record, without its message. */
const eventSize = 300;

/** Events: what happened to objects, told to people. */
export class EventLog {
  /** The events in order: each once, as of the last time it happened. */
  readonly feed: LogFeed<EventLogItem>;
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #newId: () => string;

  constructor({ engine, clock, newId, pollMs }: EventLogOptions) {
    this.feed = new LogFeed({ table: new EventTable(engine), clock, pollMs });
    this.#engine = engine;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** An event that was told before, about the same object with the same reason and message, is counted, not added. */
  async record(events: readonly NewEvent[]): Promise<void> {
    const rows = foldEvents(events, this.#newId, this.#clock.now());
    // In one order everywhere, so that two replicas wait for each other instead of locking each other out.
    rows.sort((a, b) => (a.fold_key < b.fold_key ? -1 : 1));
    const { queries } = this.#engine;
    await this.#engine.commit(function* (): Transaction<void> {
      const before = yield* takeNumbers({ queries }, logIds.events, rows.length);
      const numbered = rows.map((row, index) => ({ ...row, revision: before + index + 1 }));
      for (let start = 0; start < numbered.length; start += maxRowsPerStatement) {
        yield* run(
          queries
            .insertInto("events")
            .values(numbered.slice(start, start + maxRowsPerStatement))
            .onConflict((conflict) =>
              conflict.column("fold_key").doUpdateSet((eb) => ({
                count: eb("events.count", "+", eb.ref("excluded.count")),
                last_seen_at: eb.ref("excluded.last_seen_at"),
                revision: eb.ref("excluded.revision"),
              })),
            ),
        );
      }
    });
    this.feed.wake();
  }

  /** The events that last happened latest come first. */
  async list(query: EventQuery = {}): Promise<EventPage> {
    const { limit: wanted, cursor, ...filters } = query;
    const limit = requireLimit(wanted);
    const from = cursor === undefined ? undefined : decodeCursor(filters, cursor);
    const matching = this.#matching(filters);
    const counted = this.#engine.queries
      .selectFrom(matching.select("id").limit(maxCountedRecords).as("counted"))
      .select((eb) => eb.fn.countAll<number>().as("total"));
    // A forged cursor may hold text where the time belongs; it then goes on from nowhere.
    const [atMs, id] = typeof from?.after[0] === "number" ? from.after : [0, ""];
    const rest =
      from === undefined
        ? matching
        : matching.where(sql<boolean>`(last_seen_at, id) < (${atMs}, ${String(id)})`);
    const page = rest
      .selectAll()
      .orderBy("last_seen_at", "desc")
      .orderBy("id", "desc")
      .limit(limit + 1);
    const state = logState(this.#engine, logIds.events);
    return this.#engine.readSnapshot(function* (): Transaction<EventPage> {
      const total = from?.total ?? (yield* firstRowOf(counted))?.total ?? 0;
      const revision = from?.revision ?? (yield* firstRowOf(state))?.revision ?? 0;
      const resourceVersion = String(revision);
      const rows = yield* rowsOf(page);
      const items = rows.slice(0, limit).map(eventRecordOf);
      const last = rows[limit - 1];
      if (rows.length <= limit || last === undefined) return { items, total, resourceVersion };
      const cursor = encodeCursor(filters, { after: [last.last_seen_at, last.id], total, revision });
      return { items, total, resourceVersion, cursor };
    });
  }

  #matching(filters: Omit<EventQuery, "limit" | "cursor">) {
    const { kind, name, cluster, instance, type, reason, own = false, withoutKinds = [] } = filters;
    let query = this.#engine.queries.selectFrom("events");
    if (kind !== undefined) query = query.where("regarding_kind", "=", kind);
    if (name !== undefined) query = query.where("regarding_name", "=", name);
    if (cluster !== undefined) query = query.where("regarding_cluster", "=", cluster);
    if (instance !== undefined) query = query.where("instance", "=", instance);
    if (type !== undefined) query = query.where("type", "=", type);
    if (reason !== undefined) query = query.where("reason", "=", reason);
    if (withoutKinds.length > 0) {
      query = query.where((eb) =>
        eb.or([eb("regarding_kind", "not in", withoutKinds), eb("source", "=", clusterEventSource)]),
      );
    }
    if (own) query = query.where("source", "<>", clusterEventSource);
    return query;
  }
}

class EventTable implements LogTable<EventLogItem> {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async head(): Promise<number> {
    return (await this.#engine.read(() => firstRowOf(logState(this.#engine, logIds.events))))?.revision ?? 0;
  }

  async read({ after, kinds, limit }: TableQuery): Promise<TablePage<EventLogItem>> {
    const state = logState(this.#engine, logIds.events);
    let page = this.#engine.queries
      .selectFrom("events")
      .selectAll()
      .where("revision", ">", after)
      .orderBy("revision")
      .limit(limit);
    if (kinds !== undefined) page = page.where("regarding_kind", "in", kinds);
    return this.#engine.readSnapshot(function* (): Transaction<TablePage<EventLogItem>> {
      const { revision: head = 0, compacted = 0 } = (yield* firstRowOf(state)) ?? {};
      requireKept(after, { compacted, head });
      const items = (yield* rowsOf(page)).map(eventLogItem);
      const last = items.length < limit ? undefined : items.at(-1);
      return { items, head, position: last?.revision ?? head };
    });
  }
}

function eventLogItem(row: RowOf<"events">): EventLogItem {
  const event = eventRecordOf(row);
  return { revision: row.revision, kind: row.regarding_kind, size: eventSize + row.message.length, event };
}
