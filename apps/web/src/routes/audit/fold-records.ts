import type { AuditRecord } from "@bowline/api";

/** Records that say the same shortly after each other, as one row. */
export interface FoldedRecords {
  readonly latest: AuditRecord;
  /** All of them, the latest first. */
  readonly records: readonly AuditRecord[];
}

/** What is done again within this time is the same row, whatever others did in between. */
const foldWithinMs = 60_000;

/** Folds records, which come newest first, that differ in nothing but time, request and amounts. */
export function foldRecords(records: readonly AuditRecord[]): FoldedRecords[] {
  const folds: { latest: AuditRecord; records: AuditRecord[] }[] = [];
  const open = new Map<string, { records: AuditRecord[]; oldestMs: number }>();
  for (const record of records) {
    const key = keyOf(record);
    const atMs = Date.parse(record.at);
    const alike = open.get(key);
    if (alike !== undefined && alike.oldestMs - atMs <= foldWithinMs) {
      alike.records.push(record);
      alike.oldestMs = atMs;
    } else {
      const fold = { latest: record, records: [record] };
      folds.push(fold);
      open.set(key, { records: fold.records, oldestMs: atMs });
    }
  }
  return folds;
}

/** The server has counted repeats itself, and says so at the end of the message. */
const counted = / \((?:once more|\d+ more times)\)$/u;

function keyOf({ actor, verb, outcome, httpStatus, kind, name, message, proxy }: AuditRecord): string {
  const { group, resource, subresource, namespace, name: object, path, grant, user, phase } = proxy ?? {};
  return JSON.stringify([
    [actor.user, actor.token, actor.address, verb, outcome, httpStatus, kind, name],
    message?.replace(counted, ""),
    [proxy?.verb, group, resource, subresource, namespace, object, path, grant, user, phase],
  ]);
}

/** How often it happened: a record can stand for many requests. */
export function timesOf({ records }: FoldedRecords): number {
  return records.reduce((sum, { proxy }) => sum + (proxy?.requests ?? 1), 0);
}
