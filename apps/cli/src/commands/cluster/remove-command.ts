import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { timeoutOption } from "../../command/shared-options.ts";
import { namespaceOption } from "./namespace-option.ts";
import type { RemoveOptions } from "./remove-clusters.ts";

export function addRemove(command: Command, context: CommandContext): void {
  const remove = command
    .command("remove")
    .alias("rm")
    .summary("Remove clusters")
    .description(
      "Remove clusters from the server, and say how to take the agent out of them. A cluster that other objects still refer to is not removed without --cascade.",
    )
    .argument("<NAME...>", "The clusters")
    .option("--cascade", "Delete what refers to it as well, or take its name out there", false)
    .option("--dry-run", "Have the server check everything and remove nothing", false)
    .option("--no-wait", "Only ask for it")
    .addOption(timeoutOption("How long to wait for each of them; without it, as long as it takes"))
    .addOption(namespaceOption())
    .action(async (names: string[], options: RemoveOptions) => {
      const { removeClusters } = await import("./remove-clusters.ts");
      await removeClusters(context, names, options);
    });
  addExamples(remove, [
    {
      does: "Remove a cluster from every placement and grant too",
      run: "bowline cluster remove prod-eu-1 --cascade",
    },
  ]);
}
