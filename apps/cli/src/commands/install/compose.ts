import { join } from "node:path";

import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { addValueFlags, chooseValues, type ValueFlags } from "./value-options.ts";
import { writeNewFiles } from "./write-new-files.ts";

export function addCompose(command: Command, context: CommandContext): void {
  const compose = command
    .command("compose")
    .summary("Print a compose file that runs a server")
    .description(
      "Print a compose file that runs a server on this machine, or several with ports of their own. Secrets are files beside it: for each key of a Secret that the values name, secrets/NAME/KEY; the file says which.",
    );
  addValueFlags(compose)
    .option("--name <NAME>", "What the project is called", "bowline")
    .option("--with-postgres", "Run a PostgreSQL too; its address goes where database.postgres says", false)
    .option("--with-nats", "Run a NATS too", false)
    .option("--output-folder <FOLDER>", "Write compose.yaml into this folder instead")
    .action((options: ComposeFlags) => printCompose(context, options));
  addExamples(compose, [
    { does: "One server on SQLite", run: "bowline install compose > compose.yaml\ndocker compose up -d" },
    {
      does: "Two servers, with PostgreSQL and NATS",
      run: "bowline install compose --with-postgres --with-nats --set replicas=2 \\\n  --set database.postgres.existingSecret=database --set encryption.existingSecret=encryption \\\n  --output-folder fleet",
    },
  ]);
}

interface ComposeFlags extends ValueFlags {
  readonly name: string;
  readonly withPostgres: boolean;
  readonly withNats: boolean;
  readonly outputFolder?: string;
}

async function printCompose(context: CommandContext, options: ComposeFlags): Promise<void> {
  const name = requireObjectName(options.name);
  const { values, settings } = await chooseValues(context, options);
  const { composeFile } = await import("@bowline/install");
  const { withPostgres: postgres, withNats: nats, outputFolder } = options;
  const text = composeFile(values, { name, version: context.version, postgres, nats }, settings);
  if (outputFolder === undefined) context.terminal.out(text);
  else await writeNewFiles(context, new Map([[join(outputFolder, "compose.yaml"), text]]));
}
