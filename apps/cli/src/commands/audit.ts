import { AuditFilters, pageLimits, proxiedObject, requireKind, type AuditRecord } from "@bowline/api";
import type { AuditQuery, Client } from "@bowline/client";
import { BowlineError, parseDurationMs } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption, parseCount } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";
import type { Paint } from "../command/terminal.ts";

export function addAuditCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("audit")
    .description("Show who did what, who tried to and was not allowed, and who signed in; newest first.")
    .option("--user <USER>", "Only what this user did")
    .addOption(
      choiceOption("--verb <VERB>", "Only what was done in this way", AuditFilters.properties.verb.enum),
    )
    .addOption(
      choiceOption("--outcome <OUTCOME>", "Only what ended so", AuditFilters.properties.outcome.enum),
    )
    .option("--kind <KIND>", "Only what was done to objects of this kind")
    .option("--name <NAME>", "Only what was done to objects of this name")
    .option("--since <TIME>", "Only what was done since: so long ago, as 30m or 7d, or a time in RFC 3339")
    .option("--limit <NUMBER>", "How many records to show at most", parseCount, 50)
    .addOption(outputOption(["table", "wide", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((options: AuditOptions) => showAudit(context, options));
  addExamples(command, [
    { does: "Show what happened last", run: "bowline audit" },
    {
      does: "Show everything that was done to a cluster",
      run: "bowline audit --kind cluster --name prod --limit 500",
    },
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

interface AuditOptions {
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

const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/u;

/** The time that is so long ago, such as `30m`, `12h` or `7d`, or that is written out. */
export function parseSince(text: string, nowMs: number): string {
  const agoMs = parseDurationMs(text);
  const sinceMs = agoMs === undefined ? timeOf(text) : nowMs - agoMs;
  if (!Number.isNaN(sinceMs) && sinceMs >= 0) return new Date(sinceMs).toISOString();
  throw new BowlineError(
    "InvalidArgument",
    `"${text.slice(0, 64)}" is neither a duration such as 30m or 7d nor a time such as 2026-01-02T09:30:00Z.`,
  );
}

function timeOf(text: string): number {
  return isTime.test(text) ? Date.parse(text) : Number.NaN;
}

interface AuditTableOptions {
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
