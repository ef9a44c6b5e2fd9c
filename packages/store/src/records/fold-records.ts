import type { NewAuditRecord } from "./audit-log.ts";

/** The same for records that say the same. */
export function foldKey(record: NewAuditRecord): string {
  return JSON.stringify({ ...record, requestId: undefined });
}

/** What is left of a record when there are too many different ones: what was refused, not to whom. */
export function coarseRecord({ verb, outcome, httpStatus, requestId }: NewAuditRecord): NewAuditRecord {
  return {
    actor: {},
    verb,
    outcome,
    httpStatus,
    message: "Too many requests were refused to name each.",
    requestId,
  };
}

export function repeatedRecord(record: NewAuditRecord, repeats: number): NewAuditRecord {
  const times = repeats === 1 ? "once more" : `${repeats} more times`;
  return { ...record, message: `${record.message ?? ""} (${times})`.trimStart() };
}
