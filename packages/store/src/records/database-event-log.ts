import type { Clock } from "@bowline/core";
import { sql } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Program } from "../engine/program.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import {
  eventRecordOf,
  foldEvents,
  type EventLog,
  type EventPage,
  type EventQuery,
  type NewEvent,
  type ToldBatch,
  type ToldQuery,
} from "./event-log.ts";
import { maxCountedRecords, requireLimit } from "./record-page.ts";
import { parseRevision, requireKept } from "./revision.ts";

/** The row of `store_state` that counts what is told. */
export const eventsStateId = 2;

/** Keeps the parameters of one statement far below what either database takes. */
const maxRowsPerStatement = 500;

export class DatabaseEventLog implements EventLog {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: () => string;
  readonly #listeners = new Set<() => void>();

  constructor(engine: Engine, clock: Pick<Clock, "now">, newId: () => string) {
    this.#engine = engine;
    this.#clock = clock;
    this.#newId = newId;
  }

  async record(events: readonly NewEvent[]): Promise<void> {
    const rows = foldEvents(events, this.#newId, this.#clock.now());
    // In one order everywhere, so that two replicas wait for each other instead of locking each other out.
    rows.sort((a, b) => (a.fold_key < b.fold_key ? -1 : 1));
    const { queries } = this.#engine;
    await this.#engine.commit(function* (): Program<void> {
      // Also a lock until the commit: numbers become visible in their order.
      const counted = yield* firstRowOf(
        queries
          .updateTable("store_state")
          .set((eb) => ({ revision: eb("revision", "+", rows.length) }))
          .where("id", "=", eventsStateId)
          .returning("revision"),
      );
      const before = (counted?.revision ?? 0) - rows.length;
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
    for (const listener of this.#listeners) listener();
  }

  async resourceVersion(): Promise<string> {
    return String((await this.#engine.read(() => firstRowOf(this.#state())))?.revision ?? 0);
  }

  async read({ after, limit: wanted }: ToldQuery): Promise<ToldBatch> {
    const limit = requireLimit(wanted);
    const revision = parseRevision(after);
    const state = this.#state();
    const page = this.#engine.queries
      .selectFrom("events")
      .selectAll()
      .where("revision", ">", revision)
      .orderBy("revision")
      .limit(limit);
    return this.#engine.readSnapshot(function* (): Program<ToldBatch> {
      const { revision: head = 0, compacted = 0 } = (yield* firstRowOf(state)) ?? {};
      requireKept(revision, { compacted, head });
      const rows = yield* rowsOf(page);
      const events = rows.map((row) => ({ revision: row.revision, event: eventRecordOf(row) }));
      const last = events.length < limit ? undefined : events.at(-1);
      return { events, resourceVersion: String(last?.revision ?? head) };
    });
  }

  onRecord(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

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
    const state = this.#state();
    return this.#engine.readSnapshot(function* (): Program<EventPage> {
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

  #state() {
    return this.#engine.queries.selectFrom("store_state").selectAll().where("id", "=", eventsStateId);
  }

  #matching({ kind, name, cluster, type, reason, withoutKinds = [] }: Omit<EventQuery, "limit" | "cursor">) {
    let query = this.#engine.queries.selectFrom("events");
    if (kind !== undefined) query = query.where("regarding_kind", "=", kind);
    if (name !== undefined) query = query.where("regarding_name", "=", name);
    if (cluster !== undefined) query = query.where("regarding_cluster", "=", cluster);
    if (type !== undefined) query = query.where("type", "=", type);
    if (reason !== undefined) query = query.where("reason", "=", reason);
    if (withoutKinds.length > 0) query = query.where("regarding_kind", "not in", withoutKinds);
    return query;
  }
}
