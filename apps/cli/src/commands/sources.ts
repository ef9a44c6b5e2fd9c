import { ConfigSource, formatAge, WorkloadDefinition, type GitSource } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";
import { listObjects } from "../resources/find-objects.ts";

export function addSourcesCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("sources")
    .description(
      "Show everything that comes from git: its repository, the commit it is at, and whether that is what the repository has now. What is not up to date comes first, with the reason; its last good commit stays.",
    )
    .addOption(outputOption(["table", "wide", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((options: SourcesOptions) => showSources(context, options));
  addExamples(command, [
    { does: "What comes from git, and how it does", run: "bowline sources" },
    { does: "With signers and whole messages", run: "bowline sources -o wide" },
  ]);
}

interface SourcesOptions {
  readonly output: "table" | "wide" | "json" | "yaml";
  readonly headers: boolean;
}

interface SourceRow {
  readonly source: string;
  readonly url: string;
  readonly ref: string;
  readonly path: string;
  readonly commit?: string | undefined;
  readonly signer?: string | undefined;
  readonly resolvedAt?: string | undefined;
  readonly upToDate: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export async function showSources(context: CommandContext, options: SourcesOptions): Promise<void> {
  const { terminal, clock, signal } = context;
  const { output, headers } = options;
  const client = await context.client();
  const definitions = await listObjects(client, WorkloadDefinition, { query: {}, signal });
  const sources = await listObjects(client, ConfigSource, { query: {}, signal });
  const rows = [
    ...sources.objects.map(({ object }) => configRow(object)),
    ...definitions.objects.flatMap(({ object }) => definitionRow(object)),
  ].toSorted((a, b) => Number(a.upToDate === "True") - Number(b.upToDate === "True"));
  if (output === "json" || output === "yaml") return terminal.out(await toDocument({ items: rows }, output));
  if (rows.length === 0) return terminal.error("Nothing comes from git.\n");
  const wide = output === "wide";
  const names = ["SOURCE", "REPOSITORY", "REF", "COMMIT", "CURRENT", "REASON", "AGE"];
  const table = new TableWriter(wide ? [...names, "PATH", "SIGNER", "MESSAGE"] : names, {
    noHeaders: !headers,
  });
  const cells = rows.map((row) => cellsOf(row, { wide, nowMs: clock.now() }));
  terminal.out(table.rows(cells));
}

function definitionRow({ metadata, spec, status }: WorkloadDefinition): SourceRow[] {
  const { git } = spec.source;
  if (git === undefined) return [];
  const { commit, signer, resolvedAt } = status.revision ?? {};
  return [{ source: `wd/${metadata.name}`, ...gitPart(git, status), commit, signer, resolvedAt }];
}

function configRow({ metadata, spec, status }: ConfigSource): SourceRow {
  const { commit, signer, at } = status.applied ?? {};
  return { source: `cs/${metadata.name}`, ...gitPart(spec.git, status), commit, signer, resolvedAt: at };
}

function gitPart(
  { url, ref, path }: GitSource,
  { conditions }: Pick<ConfigSource["status"], "conditions">,
): Pick<SourceRow, "url" | "ref" | "path" | "upToDate" | "reason" | "message"> {
  const upToDate = conditions.find(({ type }) => type === "UpToDate");
  const { status = "Unknown", reason, message } = upToDate ?? {};
  return { url, ref, path, upToDate: status, reason, message };
}

function cellsOf(
  row: SourceRow,
  { wide, nowMs }: { readonly wide: boolean; readonly nowMs: number },
): string[] {
  const { source, url, ref, path, commit, signer, resolvedAt, upToDate, reason, message } = row;
  const age = resolvedAt === undefined ? "" : formatAge(nowMs - Date.parse(resolvedAt));
  const cells = [source, url, ref, commit?.slice(0, 12) ?? "", upToDate, reason ?? "", age];
  return [...cells, ...(wide ? [path, signer ?? "", message ?? ""] : [])].map(printableLine);
}
