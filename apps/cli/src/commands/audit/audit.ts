import { pageLimits, requireKind, type AuditRecord } from "@bowline/api";
import type { AuditQuery, Client } from "@bowline/client";

import type { CommandContext } from "../../command/command-context.ts";
import { toDocument } from "../../output/to-document.ts";
import { auditTable } from "./audit-table.ts";
import { parseSince } from "./parse-since.ts";

export interface AuditOptions {
  readonly user?: string;
  readonly verb?: string;
  readonly outcome?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly since?: string;
  readonly limit: number;
  readonly output: "table" | "wide" | "json" | "yaml";
  readonly headers: boolean;
}

export async function showAudit(context: CommandContext, options: AuditOptions): Promise<void> {
  const { terminal, paint } = context;
  const { output, headers, limit } = options;
  const query = queryOf(options, context.clock.now());
  const { records, total } = await readRecords(await context.client(), query, limit);
  if (output === "json" || output === "yaml") {
    return terminal.out(await toDocument(records, output));
  }
  if (records.length === 0) return terminal.error("No audit records found.\n");
  terminal.out(auditTable(records, { wide: output === "wide", headers, paint }));
  if (total > records.length)
    terminal.error(`Showing ${records.length} of ${total} records; --limit shows more.\n`);
}

/** A kind or a time that cannot be is found out before anybody is asked. */
function queryOf(options: AuditOptions, nowMs: number): AuditQuery {
  const { user, verb, outcome, kind, name, since } = options;
  return {
    user,
    verb,
    outcome,
    kind: kind === undefined ? undefined : requireKind(kind).kind,
    name,
    since: since === undefined ? undefined : parseSince(since, nowMs),
  };
}

interface Read {
  readonly records: readonly AuditRecord[];
  readonly total: number;
}

async function readRecords(client: Client, query: AuditQuery, limit: number): Promise<Read> {
  const records: AuditRecord[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const size = Math.min(limit - records.length, pageLimits.maximum);
    const page = await client.listAudit({ ...query, cursor, limit: size });
    records.push(...page.items);
    ({ cursor, total } = page.metadata);
  } while (cursor !== undefined && records.length < limit);
  return { records, total };
}
