import type { EventRecord } from "@bowline/api";
import type { Clock } from "@bowline/core";
import { sql } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Program } from "../engine/program.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { eventRecordOf, foldEvents, type EventLog, type EventQuery, type NewEvent } from "./event-log.ts";
import { maxCountedRecords, requireLimit, type RecordPage } from "./record-page.ts";

/** Keeps the parameters of one statement far below what either database takes. */
const maxRowsPerStatement = 500;

export class DatabaseEventLog implements EventLog {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: () => string;

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
      for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
        yield* run(
          queries
            .insertInto("events")
            .values(rows.slice(start, start + maxRowsPerStatement))
            .onConflict((conflict) =>
              conflict.column("fold_key").doUpdateSet((eb) => ({
                count: eb("events.count", "+", eb.ref("excluded.count")),
                last_seen_at: eb.ref("excluded.last_seen_at"),
              })),
            ),
        );
      }
    });
  }

  async list(query: EventQuery = {}): Promise<RecordPage<EventRecord>> {
    const { limit: wanted, cursor, ...filters } = query;
    const limit = requireLimit(wanted);
    const from = cursor === undefined ? undefined : decodeCursor(filters, cursor);
    const matching = this.#matching(filters);
    const counted = this.#engine.queries
      .selectFrom(matching.select("id").limit(maxCountedRecords).as("counted"))
      .select((eb) => eb.fn.countAll<number>().as("total"));
    const [atMs, id] = from?.after ?? [];
    const rest =
      from === undefined
        ? matching
        : matching.where(sql<boolean>`(last_seen_at, id) < (${Number(atMs)}, ${String(id)})`);
    const page = rest
      .selectAll()
      .orderBy("last_seen_at", "desc")
      .orderBy("id", "desc")
      .limit(limit + 1);
    return this.#engine.readSnapshot(function* (): Program<RecordPage<EventRecord>> {
      const total = from?.total ?? (yield* firstRowOf(counted))?.total ?? 0;
      const rows = yield* rowsOf(page);
      const items = rows.slice(0, limit).map(eventRecordOf);
      const last = rows[limit - 1];
      if (rows.length <= limit || last === undefined) return { items, total };
      const after = [last.last_seen_at, last.id];
      return { items, total, cursor: encodeCursor(filters, { after, total, revision: 0 }) };
    });
  }

  #matching({ kind, name, cluster, type, reason }: Omit<EventQuery, "limit" | "cursor">) {
    let query = this.#engine.queries.selectFrom("events");
    if (kind !== undefined) query = query.where("regarding_kind", "=", kind);
    if (name !== undefined) query = query.where("regarding_name", "=", name);
    if (cluster !== undefined) query = query.where("regarding_cluster", "=", cluster);
    if (type !== undefined) query = query.where("type", "=", type);
    if (reason !== undefined) query = query.where("reason", "=", reason);
    return query;
  }
}
