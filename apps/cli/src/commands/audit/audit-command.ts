import { AuditFilters } from "@bowline/api";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { noHeadersOption, outputOption, parseCount } from "../../command/shared-options.ts";
import type { AuditOptions } from "./audit.ts";

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
    .action(async (options: AuditOptions) => {
      const { showAudit } = await import("./audit.ts");
      await showAudit(context, options);
    });
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
