import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addManifestOptions } from "../../manifests/manifest-options.ts";
import { timeoutOption } from "../../command/shared-options.ts";
import { resourceUsage } from "../../resources/parse-resources.ts";
import { addSelectOptions } from "../../resources/select-options.ts";
import { deleteAll, type DeleteOptions } from "./delete-all.ts";

export function addDeleteCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("delete")
    .usage(`(${resourceUsage} | -f FILE...) [FLAGS]`)
    .description(
      "Delete objects by name, by label, or those in files. What refers to others goes before them. An object that others still refer to is not deleted without --cascade.",
    )
    .argument("[resources...]", "KIND NAME, KIND/NAME, or KIND with -l or --all");
  addManifestOptions(addSelectOptions(command), { mandatory: false })
    .option("--all", "Delete every object of the kind", false)
    .option("--cascade", "Delete what refers to it as well, or take its name out there", false)
    .option("--dry-run", "Have the server check everything and delete nothing", false)
    .option("--ignore-not-found", "Do not mind objects that do not exist", false)
    .option("--wait", "Wait until what has to be cleaned up first is done", true)
    .option("--no-wait", "Only ask for the deletion")
    .addOption(timeoutOption("How long to wait for each of them; without it, as long as it takes"))
    .option("-y, --yes", "Do not ask before deleting by label or all", false)
    .action((args: string[], options: DeleteOptions) => deleteAll(context, args, options));
  addExamples(command, [
    { does: "Delete a cluster", run: "bowline delete cluster prod-eu-1" },
    {
      does: "Delete it from every placement and grant as well",
      run: "bowline delete cluster/prod-eu-1 --cascade",
    },
    { does: "Delete everything that a folder made", run: "bowline delete -R -f deploy/" },
    { does: "Delete by label, from a script", run: "bowline delete workloadinstances -l env=preview --yes" },
  ]);
}
