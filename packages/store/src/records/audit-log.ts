import type { AuditRecord, ProxyDetails } from "@bowline/api";

import type { RowOf } from "../engine/tables.ts";
import type { RecordPage } from "./record-page.ts";

export type NewAuditRecord = Omit<AuditRecord, "id" | "at">;

export interface AuditLog {
  /** For what belongs to no write of an object: denials, failures, logins, requests to clusters. */
  append(records: readonly NewAuditRecord[]): Promise<void>;
  /** Newest first. */
  list(query?: AuditQuery): Promise<RecordPage<AuditRecord>>;
}

export interface AuditQuery {
  readonly user?: string | undefined;
  readonly verb?: AuditRecord["verb"] | undefined;
  readonly outcome?: AuditRecord["outcome"] | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** Not before. */
  readonly fromMs?: number | undefined;
  /** Before. */
  readonly untilMs?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

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
  };
}

export function auditRecordOf(row: AuditRow): AuditRecord {
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
