import {
  formatAge,
  pageLimits,
  WorkloadDefinition,
  WorkloadInstance,
  type WorkloadRevision,
} from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption, parseCount } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";
import { parseResources, requireObjectName } from "../resources/resource.ts";

export function addHistoryCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("history")
    .usage("(INSTANCE | wi/INSTANCE | wd/DEFINITION) [FLAGS]")
    .description(
      "Show what a workload definition was resolved to, the newest first: who wrote it or which commit it is, and in how many clusters it is. The last ten revisions are kept, and those that are in a cluster.",
    )
    .argument("<WORKLOAD>", "The workload instance, whose clusters are counted, or the definition")
    .option("--revision <ID>", "Print the manifests of this revision; the beginning of its id is enough")
    .option("--limit <COUNT>", "Show no more than the newest ones", parseCount, 100)
    .addOption(outputOption(["table", "wide", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((argument: string, options: HistoryOptions) => showHistory(context, argument, options));
  addExamples(command, [
    { does: "Which revision is in how many of its clusters", run: "bowline history wi/web" },
    { does: "The same over all instances of a definition", run: "bowline history wd/web -o wide" },
    { does: "What a revision said", run: "bowline history wd/web --revision 3f1c9a" },
  ]);
}

interface HistoryOptions {
  readonly revision?: string;
  readonly limit: number;
  readonly output: "table" | "wide" | "json" | "yaml";
  readonly headers: boolean;
}

export async function showHistory(
  context: CommandContext,
  argument: string,
  options: HistoryOptions,
): Promise<void> {
  const { terminal, clock, signal } = context;
  const { output, headers } = options;
  const client = await context.client();
  const subject = await findSubject(client, argument, signal);
  const { items, total } = await readRevisions(client, subject, { ...options, signal });
  if (options.revision !== undefined) {
    const { id } = requireRevision(items, options.revision);
    const content = await client.getRevision(subject.definition, id, { signal });
    if (output === "json" || output === "yaml") return terminal.out(await toDocument(content, output));
    const documents = await Promise.all(content.manifests.map((object) => toDocument(object, "yaml")));
    return terminal.out(documents.join("---\n"));
  }
  if (output === "json" || output === "yaml") return terminal.out(await toDocument({ items }, output));
  if (items.length === 0)
    return terminal.error(`${subject.definition} was not resolved to a revision yet.\n`);
  terminal.out(historyTable(items, { wide: output === "wide", headers, nowMs: clock.now() }));
  if (total > items.length) {
    terminal.error(`Showing ${items.length} of ${total} revisions; --limit shows more.\n`);
  }
}

interface Subject {
  readonly definition: string;
  readonly instance?: string;
}

/** A name alone is that of an instance, as in the other commands about workloads. */
async function findSubject(client: Client, argument: string, signal: AbortSignal): Promise<Subject> {
  const { kind, name } = parseSubject(argument);
  if (kind === WorkloadDefinition) return { definition: name };
  const { spec } = await client.get(WorkloadInstance, name, { signal });
  return { definition: spec.definition, instance: name };
}

function parseSubject(argument: string) {
  if (!argument.includes("/")) return { kind: WorkloadInstance, name: requireObjectName(argument) };
  const wanted = parseResources([argument]);
  const [only] = wanted.by === "name" ? wanted.resources : [];
  if (only?.kind === WorkloadInstance || only?.kind === WorkloadDefinition) return only;
  throw new BowlineError(
    "InvalidArgument",
    `«${argument.slice(0, 64)}» is no workload; give wi/NAME for an instance or wd/NAME for a definition.`,
  );
}

async function readRevisions(
  client: Client,
  { definition, instance }: Subject,
  { limit, signal }: Pick<HistoryOptions, "limit"> & { readonly signal: AbortSignal },
): Promise<{ readonly items: readonly WorkloadRevision[]; readonly total: number }> {
  const items: WorkloadRevision[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const wanted = Math.min(limit - items.length, pageLimits.maximum);
    const query = { limit: wanted, cursor, ...(instance === undefined ? {} : { instance }) };
    const page = await client.listRevisions(definition, query, { signal });
    items.push(...page.items);
    ({ cursor, total } = page.metadata);
  } while (cursor !== undefined && items.length < limit);
  return { items, total };
}

/** The one revision that begins so. Throws `NotFound` or `InvalidArgument`. */
export function requireRevision(items: readonly WorkloadRevision[], wanted: string): WorkloadRevision {
  const found = items.filter(({ id }) => id.startsWith(wanted) || hashOf(id).startsWith(wanted));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const shown = printableLine(wanted.slice(0, 71));
  throw new BowlineError(
    only === undefined ? "NotFound" : "InvalidArgument",
    only === undefined
      ? `There is no revision ${shown}; bowline history lists those that are kept.`
      : `${found.length} revisions begin with ${shown}; give more of the id.`,
  );
}

interface TableOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly nowMs: number;
}

function historyTable(items: readonly WorkloadRevision[], { wide, headers, nowMs }: TableOptions): string {
  const narrow = ["REVISION", "RESOLVED", "COMMIT", "OBJECTS", "CLUSTERS", "CURRENT"];
  const table = new TableWriter(wide ? [...narrow, "AUTHOR", "SIGNER", "BYTES", "RESOLVED-AT"] : narrow, {
    noHeaders: !headers,
  });
  const rows = items.map((revision) => {
    const { id, resolvedAt, commit, author = "<unknown>", signer = "<none>" } = revision;
    const { objects, clusters, current, bytes } = revision;
    const cells = [
      wide ? id : hashOf(id).slice(0, 12),
      formatAge(nowMs - Date.parse(resolvedAt)),
      commit === undefined ? "<none>" : printableLine(wide ? commit : commit.slice(0, 12)),
      String(objects),
      String(clusters),
      current ? "yes" : "no",
    ];
    return wide ? [...cells, printableLine(author), printableLine(signer), String(bytes), resolvedAt] : cells;
  });
  return table.rows(rows);
}

function hashOf(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}
