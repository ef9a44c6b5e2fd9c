import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { escapeUnprintable } from "../../output/terminal-text.ts";
import { questionScope } from "./question-options.ts";

const formats = ["cypher", "json", "dot"] as const;
type Format = (typeof formats)[number];

interface ExportOptions extends Partial<Record<Format, true>> {
  readonly cluster: string;
  readonly at?: string;
  readonly file?: string;
  readonly neo4j?: string;
  readonly neo4jUser: string;
  readonly neo4jDatabase: string;
  readonly neo4jPasswordFile?: string;
}

export function addExport(command: Command, context: CommandContext): void {
  const exporting = command
    .command("export")
    .summary("Copy the graph of a cluster elsewhere")
    .description(
      "Write the graph of a cluster to standard output or to a file: as a script of Cypher, as one JSON document, or for Graphviz. Or write it into an empty database of Neo4j. It is a copy of that moment; a server can keep one up to date instead (--neo4j-url).\n\nWhat you may not see is left out, and counted at the end.",
    )
    .requiredOption("--cluster <NAME>", "The cluster")
    .option(
      "--at <TIME>",
      "As it was then: so long ago, as 10m or 2h, or a time in RFC 3339; now if not given",
    )
    .option("--cypher", "A script for cypher-shell")
    .option("--json", "One JSON document with nodes and edges, each on a line of its own")
    .option("--dot", "A graph for the programs of Graphviz")
    .addOption(
      new Option(
        "--neo4j <URL>",
        "Write it into the Neo4j at this address, such as neo4j+s://neo4j.example.com",
      ),
    )
    .option("-f, --file <FILE>", "Write into this file instead of standard output")
    .option("--neo4j-user <NAME>", "The user of that Neo4j", "neo4j")
    .option("--neo4j-database <NAME>", "Its database, which has to be empty", "neo4j")
    .option("--neo4j-password-file <FILE>", "Its password; without it, the variable NEO4J_PASSWORD has it")
    .action((options: ExportOptions) => exportGraph(context, options));
  addExamples(exporting, [
    {
      does: "A script for another database",
      run: "bowline graph export --cluster prod --cypher -f prod.cypher",
    },
    { does: "A picture", run: "bowline graph export --cluster prod --dot | dot -Tsvg > prod.svg" },
    {
      does: "Into a Neo4j on this machine",
      run: "bowline graph export --cluster prod --neo4j bolt://localhost --neo4j-password-file password",
    },
  ]);
}

async function exportGraph(context: CommandContext, options: ExportOptions): Promise<void> {
  const chosen = formats.filter((format) => options[format] === true);
  const [format = "cypher", ...others] = chosen;
  if (others.length > 0 || (chosen.length === 1) === (options.neo4j !== undefined)) {
    throw new BowlineError("InvalidArgument", "Choose one of --cypher, --json, --dot and --neo4j URL.");
  }
  if (options.neo4j !== undefined && options.file !== undefined) {
    throw new BowlineError(
      "InvalidArgument",
      "Leave out --file: with --neo4j the graph goes into a database.",
    );
  }
  const { signal, clock } = context;
  const client = await context.client();
  const query = { format, ...questionScope(options, clock.now()) };
  using progress = new ProgressLine(context.terminal);
  // A graph that is written to a terminal shows by itself how far it is.
  const isSilent = context.terminal.isTty && options.file === undefined && options.neo4j === undefined;
  const open = async (): Promise<AsyncIterable<Buffer>> => {
    const body = await client.exportGraph(query, { signal });
    return isSilent ? body : counted(body, progress);
  };
  if (options.neo4j !== undefined) {
    const { writeToNeo4j } = await import("./write-to-neo4j.ts");
    return writeToNeo4j(context, open, { ...options, url: options.neo4j });
  }
  if (options.file === undefined) await writeOut(context, await open());
  else await writeFileOf(await open(), options.file, signal);
}

/** Tells how much has come. */
async function* counted(body: Readable, progress: ProgressLine): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    progress.show(`${(bytes / 1_000_000).toFixed(1)} MB`);
    yield chunk;
  }
}

/** No faster than whoever reads it. A terminal is not to obey what comes from a cluster. */
async function writeOut({ terminal }: CommandContext, body: AsyncIterable<Buffer>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    terminal.out(terminal.isTty ? escapeUnprintable(decoder.decode(chunk, { stream: true })) : chunk);
    await terminal.drained();
  }
}

/** Nobody sees half of a file: it gets its name when it is whole. */
async function writeFileOf(body: AsyncIterable<Buffer>, path: string, signal: AbortSignal): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await pipeline(body, createWriteStream(partial, { mode: 0o600 }), { signal });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
