import type { AuditRecord } from "@bowline/api";
import type { Clock } from "@bowline/core";

import { insertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Program } from "../engine/program.ts";
import { auditRecordOf, auditRow, type AuditLog, type AuditQuery, type NewAuditRecord } from "./audit-log.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { maxCountedRecords, requireLimit, type RecordPage } from "./record-page.ts";

export class DatabaseAuditLog implements AuditLog {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: () => string;

  constructor(engine: Engine, clock: Pick<Clock, "now">, newId: () => string) {
    this.#engine = engine;
    this.#clock = clock;
    this.#newId = newId;
  }

  async append(records: readonly NewAuditRecord[]): Promise<void> {
    const nowMs = this.#clock.now();
    const rows = records.map((record) => auditRow(record, this.#newId(), nowMs));
    await this.#engine.commit(() => run(insertRows("audit", rows)));
  }

  async list(query: AuditQuery = {}): Promise<RecordPage<AuditRecord>> {
    const { limit: wanted, cursor, ...filters } = query;
    const limit = requireLimit(wanted);
    const from = cursor === undefined ? undefined : decodeCursor(filters, cursor);
    const matching = this.#matching(filters);
    const counted = this.#engine.queries
      .selectFrom(matching.select("id").limit(maxCountedRecords).as("counted"))
      .select((eb) => eb.fn.countAll<number>().as("total"));
    const rest = from === undefined ? matching : matching.where("id", "<", String(from.after[0]));
    const page = rest
      .selectAll()
      .orderBy("id", "desc")
      .limit(limit + 1);
    return this.#engine.readSnapshot(function* (): Program<RecordPage<AuditRecord>> {
      const total = from?.total ?? (yield* firstRowOf(counted))?.total ?? 0;
      const rows = yield* rowsOf(page);
      const items = rows.slice(0, limit).map(auditRecordOf);
      const last = items.at(-1);
      if (rows.length <= limit || last === undefined) return { items, total };
      return { items, total, cursor: encodeCursor(filters, { after: [last.id], total, revision: 0 }) };
    });
  }

  #matching({ user, verb, outcome, kind, name, fromMs, untilMs }: Omit<AuditQuery, "limit" | "cursor">) {
    let query = this.#engine.queries.selectFrom("audit");
    if (user !== undefined) query = query.where("actor_user", "=", user);
    if (verb !== undefined) query = query.where("verb", "=", verb);
    if (outcome !== undefined) query = query.where("outcome", "=", outcome);
    if (kind !== undefined) query = query.where("kind", "=", kind);
    if (name !== undefined) query = query.where("name", "=", name);
    if (fromMs !== undefined) query = query.where("at", ">=", fromMs);
    if (untilMs !== undefined) query = query.where("at", "<", untilMs);
    return query;
  }
}
