import {
  auditColumns,
  AuditFilters,
  auditRow,
  pageLimits,
  requireKind,
  wideAuditColumns,
  type AuditRecord,
} from "@bowline/api";
import type { AuditQuery, Client } from "@bowline/client";
import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption, parseCount, parseSince } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";
import type { Paint } from "../command/terminal.ts";

export function addAuditCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("audit")
    .description(
      "Show who did what, who tried to and was not allowed, and who signed in; newest first. Who is no admin sees what they did themselves.",
    )
    .option("--user <USER>", "Only what this user did")
    .addOption(
      choiceOption("--verb <VERB>", "Only what was done in this way", AuditFilters.properties.verb.enum),
    )
    .addOption(
      choiceOption("--outcome <OUTCOME>", "Only what ended so", AuditFilters.properties.outcome.enum),
    )
    .option("--kind <KIND>", "Only what was done to objects of this kind")
    .option("--name <NAME>", "Only what was done to objects of this name")
    .option("--cluster <CLUSTER>", "Only what was done to this cluster, or in it")
    .option("-n, --namespace <NAMESPACE>", "Only requests to clusters in this namespace")
    .option("--resource <RESOURCE>", "Only requests to clusters for this resource, such as pods")
    .option("--object <NAME>", "Only requests to clusters for objects of this name")
    .option("--grant <GRANT>", "Only what this AccessGrant allowed")
    .option("--request-id <ID>", "Only the request of this id, as errors and -o wide show it")
    .option("--since <TIME>", "Only what was done since: so long ago, as 30m or 7d, or a time in RFC 3339")
    .option("--limit <NUMBER>", "How many records to show at most", parseCount, 50)
    .addOption(outputOption(["table", "wide", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((options: AuditOptions) => showAudit(context, options));
  addExamples(command, [
    { does: "Show what happened last", run: "bowline audit" },
    {
      does: "Show everything that was done to a cluster, and in it",
      run: "bowline audit --cluster prod --limit 500",
    },
    {
      does: "Show who looked into a pod, or opened a shell there",
      run: "bowline audit --cluster prod -n shop --resource pods --object web-1",
    },
    { does: "Find the request that an error names", run: "bowline audit --request-id 4f1c0a9b2e7d-3k" },
    {
      does: "Show what was refused today, by the server or by a cluster",
      run: "bowline audit --outcome denied --since 24h",
    },
    { does: "Show from where a user signed in", run: "bowline audit --user editor -o wide" },
  ]);
}

function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

/** Flags that are parameters of the same name and value. */
const sameNames = [
  "user",
  "verb",
  "outcome",
  "name",
  "cluster",
  "namespace",
  "resource",
  "object",
  "grant",
  "requestId",
] as const;

interface AuditOptions extends Readonly<Partial<Record<(typeof sameNames)[number], string>>> {
  readonly kind?: string;
  readonly since?: string;
  readonly limit: number;
  readonly output: "table" | "wide" | "json" | "yaml";
  readonly headers: boolean;
}

async function showAudit(context: CommandContext, options: AuditOptions): Promise<void> {
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
  const { kind, since } = options;
  return {
    ...Object.fromEntries(sameNames.map((name) => [name, options[name]])),
    kind: kind === undefined ? undefined : requireKind(kind).kind,
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

interface AuditTableOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly paint: Paint;
}

const outcomeColumn = auditColumns.indexOf("OUTCOME");

export function auditTable(records: readonly AuditRecord[], options: AuditTableOptions): string {
  const { wide, headers, paint } = options;
  const columns = [...auditColumns, ...(wide ? wideAuditColumns : [])];
  const table = new TableWriter(columns, {
    noHeaders: !headers,
    style: (cell, column) => (column === outcomeColumn && cell !== "allowed" ? paint("red", cell) : cell),
  });
  return table.rows(
    records.map((record) => {
      const row = auditRow(record);
      return columns.map((column) => printableLine(row[column]));
    }),
  );
}
