import { proxiedObject, type AuditRecord } from "@bowline/api";

import { printableLine } from "../../output/terminal-text.ts";
import { TableWriter } from "../../output/table-writer.ts";
import type { Paint } from "../../terminal/paint.ts";

export interface AuditTableOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly paint: Paint;
}

const columns = ["TIME", "USER", "VERB", "OBJECT", "REQUEST", "OUTCOME", "MESSAGE"];
const wideColumns = ["STATUS", "TOKEN", "ADDRESS", "REQUEST-ID"];
const outcomeColumn = columns.indexOf("OUTCOME");

export function auditTable(records: readonly AuditRecord[], options: AuditTableOptions): string {
  const { wide, headers, paint } = options;
  const table = new TableWriter([...columns, ...(wide ? wideColumns : [])], {
    noHeaders: !headers,
    style: (cell, column) => (column === outcomeColumn && cell !== "allowed" ? paint("red", cell) : cell),
  });
  return table.rows(records.map((record) => rowOf(record, wide).map(printableLine)));
}

function rowOf(record: AuditRecord, wide: boolean): string[] {
  const { at, actor, verb, kind, name, outcome, httpStatus, requestId } = record;
  const object = kind === undefined ? "" : [kind.toLowerCase(), name].filter(Boolean).join("/");
  const user = actor.user ?? "<unknown>";
  const row = [at, user, verb, object, requestOf(record), outcome, messageOf(record)];
  return wide ? [...row, String(httpStatus), actor.token ?? "", actor.address ?? "", requestId] : row;
}

/** What a cluster was asked: `list pods in shop`, `create pods/web-1/exec in shop (start)`. */
function requestOf({ proxy }: AuditRecord): string {
  if (proxy === undefined) return "";
  const { verb, phase, requests } = proxy;
  const times = requests === undefined ? "" : ` (${requests} times)`;
  return `${verb} ${proxiedObject(proxy)}${phase === undefined ? "" : ` (${phase})`}${times}`;
}

/** What a cluster answers is passed on and not read, so there are no words of it. */
function messageOf({ message, proxy, outcome, httpStatus }: AuditRecord): string {
  if (message !== undefined) return message;
  return proxy === undefined || outcome === "allowed" ? "" : `The cluster answered with ${httpStatus}.`;
}
