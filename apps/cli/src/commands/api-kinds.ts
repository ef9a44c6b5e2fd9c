import { kinds } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { noHeadersOption, outputOption } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { toDocument } from "../output/to-document.ts";

export function addApiKindsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("api-kinds")
    .description("List the kinds of objects, and the names that commands know them by.")
    .addOption(outputOption(["table", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .action((options: ApiKindsOptions) => listKinds(context, options));
  addExamples(command, [{ does: "List them", run: "bowline api-kinds" }]);
}

interface ApiKindsOptions {
  readonly output: "table" | "json" | "yaml" | "name";
  readonly headers: boolean;
}

async function listKinds({ terminal }: CommandContext, options: ApiKindsOptions): Promise<void> {
  const { output } = options;
  const described = kinds.map(({ kind, plural, shortNames, description }) => ({
    kind,
    plural,
    shortNames,
    description,
  }));
  if (output === "name") return terminal.out(described.map(({ plural }) => `${plural}\n`).join(""));
  if (output !== "table") return terminal.out(await toDocument(described, output));
  const table = new TableWriter(["NAME", "SHORT", "KIND", "DESCRIPTION"], { noHeaders: !options.headers });
  return terminal.out(
    table.rows(
      described.map(({ kind, plural, shortNames, description }) => [
        plural,
        shortNames.join(","),
        kind,
        description,
      ]),
    ),
  );
}
