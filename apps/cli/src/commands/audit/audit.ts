import { pageLimits, requireKind, type AuditRecord } from "@bowline/api";
import type { Client } from "@bowline/client";

import type { CommandContext } from "../../command-context.ts";
import { printableLine } from "../../output/printable.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { toDocument } from "../../output/to-document.ts";
import type { Paint } from "../../terminal/paint.ts";

export interface AuditOptions {
  readonly user?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly limit: number;
  readonly output: "table" | "wide" | "json" | "yaml";
  readonly headers: boolean;
}

export async function showAudit(context: CommandContext, options: AuditOptions): Promise<void> {
  const { terminal } = context;
  // A kind that is not known is found out before anybody is asked.
  const kind = options.kind === undefined ? undefined : requireKind(options.kind).kind;
  const { records, total } = await readRecords(await context.client(), { ...options, kind });
  if (options.output === "json" || options.output === "yaml") {
    return terminal.out(await toDocument(records, options.output));
  }
  if (records.length === 0) return terminal.error("No audit records found.\n");
  terminal.out(tableOf(records, options, context.paint));
  if (total > records.length)
    terminal.error(`Showing ${records.length} of ${total} records; --limit shows more.\n`);
}

interface Read {
  readonly records: readonly AuditRecord[];
  readonly total: number;
}

async function readRecords(
  client: Client,
  {
    user,
    kind,
    name,
    limit,
  }: Pick<AuditOptions, "user" | "name" | "limit"> & { readonly kind: string | undefined },
): Promise<Read> {
  const records: AuditRecord[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const size = Math.min(limit - records.length, pageLimits.maximum);
    const page = await client.listAudit({ user, kind, name, cursor, limit: size });
    records.push(...page.items);
    ({ cursor, total } = page.metadata);
  } while (cursor !== undefined && records.length < limit);
  return { records, total };
}

const columns = ["TIME", "USER", "VERB", "OBJECT", "OUTCOME", "MESSAGE"];
const outcomeColumn = columns.indexOf("OUTCOME");

function tableOf(records: readonly AuditRecord[], { output, headers }: AuditOptions, paint: Paint): string {
  const wide = output === "wide";
  const table = new TableWriter([...columns, ...(wide ? ["STATUS", "TOKEN", "ADDRESS", "REQUEST"] : [])], {
    noHeaders: !headers,
    style: (cell, column) => (column === outcomeColumn && cell !== "allowed" ? paint("red", cell) : cell),
  });
  return table.rows(records.map((record) => rowOf(record, wide).map(printableLine)));
}

function rowOf(record: AuditRecord, wide: boolean): string[] {
  const { at, actor, verb, kind, name, outcome, message, httpStatus, requestId } = record;
  const object = kind === undefined ? "" : [kind.toLowerCase(), name].filter(Boolean).join("/");
  const row = [at, actor.user ?? "<unknown>", verb, object, outcome, message ?? ""];
  return wide ? [...row, String(httpStatus), actor.token ?? "", actor.address ?? "", requestId] : row;
}
