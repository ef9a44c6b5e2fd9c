import type { AuditRecord, ProxyDetails } from "@bowline/api";
import type { Clock } from "@bowline/core";

import { insertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";
import { decodeCursor, encodeCursor, maxCountedRecords, requireLimit, type RecordPage } from "./page.ts";

export type NewAuditRecord = Omit<AuditRecord, "id" | "at">;

export interface AuditQuery {
  readonly user?: string | undefined;
  readonly verb?: AuditRecord["verb"] | undefined;
  readonly outcome?: AuditRecord["outcome"] | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** Name of a Cluster: what was done to it, and in it. */
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resource?: string | undefined;
  /** The name of an object in a cluster. */
  readonly object?: string | undefined;
  readonly grant?: string | undefined;
  readonly requestId?: string | undefined;
  /** Not before. */
  readonly fromMs?: number | undefined;
  /** Before. */
  readonly untilMs?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The record of requests: by whom, to what, and whether they were allowed. */
export class AuditLog {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: () => string;

  constructor(engine: Engine, clock: Pick<Clock, "now">, newId: () => string) {
    this.#engine = engine;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** For records that belong to no write of an object: denials, failures, logins, requests to clusters. */
  async append(records: readonly NewAuditRecord[]): Promise<void> {
    const nowMs = this.#clock.now();
    const rows = records.map((record) => auditRow(record, this.#newId(), nowMs));
    await this.#engine.commit(() => run(insertRows("audit", rows)));
  }

  /** Newest first. */
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
    return this.#engine.readSnapshot(function* (): Transaction<RecordPage<AuditRecord>> {
      const total = from?.total ?? (yield* firstRowOf(counted))?.total ?? 0;
      const rows = yield* rowsOf(page);
      const items = rows.slice(0, limit).map(auditRecordOf);
      const last = items.at(-1);
      if (rows.length <= limit || last === undefined) return { items, total };
      return { items, total, cursor: encodeCursor(filters, { after: [last.id], total, revision: 0 }) };
    });
  }

  #matching({ fromMs, untilMs, ...same }: Omit<AuditQuery, "limit" | "cursor">) {
    let query = this.#engine.queries.selectFrom("audit");
    for (const [filter, column] of filterColumns) {
      const value = same[filter];
      if (value !== undefined) query = query.where(column, "=", value);
    }
    if (fromMs !== undefined) query = query.where("at", ">=", fromMs);
    if (untilMs !== undefined) query = query.where("at", "<", untilMs);
    return query;
  }
}

/** The column that each filter is compared with. */
const filterColumns = [
  ["user", "actor_user"],
  ["verb", "verb"],
  ["outcome", "outcome"],
  ["kind", "kind"],
  ["name", "name"],
  ["cluster", "cluster"],
  ["namespace", "namespace"],
  ["resource", "resource"],
  ["object", "object"],
  ["grant", "access_grant"],
  ["requestId", "request_id"],
] as const satisfies readonly (readonly [keyof AuditQuery, keyof AuditRow])[];

type AuditRow = RowOf<"audit">;

export function auditRow(record: NewAuditRecord, id: string, atMs: number): AuditRow {
  return {
    id,
    at: atMs,
    actor_user: record.actor.user ?? null,
    actor_token: record.actor.token ?? null,
    actor_address: record.actor.address ?? null,
    verb: record.verb,
    outcome: record.outcome,
    http_status: record.httpStatus,
    kind: record.kind ?? null,
    name: record.name ?? null,
    message: record.message ?? null,
    request_id: record.requestId,
    proxy: record.proxy === undefined ? null : JSON.stringify(record.proxy),
    cluster: clusterOf(record),
    namespace: record.proxy?.namespace ?? null,
    resource: record.proxy?.resource ?? null,
    object: record.proxy?.name ?? null,
    access_grant: record.proxy?.grant ?? null,
  };
}

/** Records of what is named after its Cluster; a join token is. */
const kindsOfClusters: ReadonlySet<string | undefined> = new Set(["Cluster", "JoinToken"]);

function clusterOf({ kind, name }: NewAuditRecord): string | null {
  return kindsOfClusters.has(kind) ? (name ?? null) : null;
}

function auditRecordOf(row: AuditRow): AuditRecord {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: {
      ...(row.actor_user === null ? {} : { user: row.actor_user }),
      ...(row.actor_token === null ? {} : { token: row.actor_token }),
      ...(row.actor_address === null ? {} : { address: row.actor_address }),
    },
    verb: row.verb as AuditRecord["verb"],
    outcome: row.outcome as AuditRecord["outcome"],
    httpStatus: row.http_status,
    ...(row.kind === null ? {} : { kind: row.kind }),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.proxy === null ? {} : { proxy: proxyDetailsOf(row.proxy) }),
    requestId: row.request_id,
  };
}

function proxyDetailsOf(json: string): ProxyDetails {
  return JSON.parse(json);
}
