import { proxiedObject, type AuditRecord } from "./audit-record.ts";

/** The columns of a table of audit records. */
export const auditColumns = ["TIME", "USER", "VERB", "OBJECT", "REQUEST", "OUTCOME", "MESSAGE"] as const;
/** Those after them where there is room. */
export const wideAuditColumns = ["STATUS", "TOKEN", "ADDRESS", "REQUEST-ID"] as const;

export type AuditColumn = (typeof auditColumns | typeof wideAuditColumns)[number];

/** The cells of a record, by column. */
export function auditRow(record: AuditRecord): Readonly<Record<AuditColumn, string>> {
  const { at, actor, verb, kind, name, outcome, httpStatus, requestId } = record;
  return {
    TIME: at,
    USER: actor.user ?? "<unknown>",
    VERB: verb,
    OBJECT: kind === undefined ? "" : [kind.toLowerCase(), name].filter(Boolean).join("/"),
    REQUEST: requestOf(record),
    OUTCOME: outcome,
    MESSAGE: messageOf(record),
    STATUS: String(httpStatus),
    TOKEN: actor.token ?? "",
    ADDRESS: actor.address ?? "",
    "REQUEST-ID": requestId,
  };
}

/** The request to a cluster: `list pods in shop`, `create pods/web-1/exec in shop (start)`. */
function requestOf({ proxy }: AuditRecord): string {
  if (proxy === undefined) return "";
  const { verb, phase, requests } = proxy;
  const times = requests === undefined ? "" : ` (${requests} times)`;
  return `${verb} ${proxiedObject(proxy)}${phase === undefined ? "" : ` (${phase})`}${times}`;
}

/** A cluster's answer is passed on and not read, so there are no words of it. */
function messageOf({ message, proxy, outcome, httpStatus }: AuditRecord): string {
  if (message !== undefined) return message;
  return proxy === undefined || outcome === "allowed" ? "" : `The cluster answered with ${httpStatus}.`;
}
