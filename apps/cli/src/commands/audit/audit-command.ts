import type { Command } from "commander";

import type { CommandContext } from "../../command-context.ts";
import { addExamples } from "../../help/examples.ts";
import { noHeadersOption, outputOption } from "../../output/output-format.ts";
import { parseCount } from "../../options/parse-count.ts";
import type { AuditOptions } from "./audit.ts";

export function addAuditCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("audit")
    .description("Show who did what, who tried to and was not allowed, and who signed in; newest first.")
    .option("--user <USER>", "Only what this user did")
    .option("--kind <KIND>", "Only what was done to objects of this kind")
    .option("--name <NAME>", "Only what was done to objects of this name")
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
    { does: "Show from where a user signed in", run: "bowline audit --user editor -o wide" },
  ]);
}
