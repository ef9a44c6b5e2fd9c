import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { timeoutOption } from "../../command/shared-options.ts";
import { resourceUsage } from "../../resources/parse-resources.ts";
import { addSelectOptions } from "../../resources/select-options.ts";
import { waitForAll, type WaitOptions } from "./wait-for-all.ts";

export function addWaitCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("wait")
    .usage(`${resourceUsage} --for CONDITION [FLAGS]`)
    .description(
      "Wait until objects are in a state. With several, until each of them has been in it. Exits with 1 when the time is over, and says how things stand.",
    )
    .argument("[resources...]", "KIND NAME, KIND/NAME, or KIND with -l or --all")
    .requiredOption(
      "--for <CONDITION>",
      "condition=TYPE, condition=TYPE=STATUS, delete, or FIELD=VALUE as for --field-selector",
    )
    .addOption(timeoutOption("How long to wait for all of them together; 0 to look once", "30s"))
    .option("--all", "Wait for every object of the kind", false);
  addSelectOptions(command).action((args: string[], options: WaitOptions) =>
    waitForAll(context, args, options),
  );
  addExamples(command, [
    {
      does: "Until a cluster can be worked with",
      run: "bowline wait cluster/prod-eu-1 --for condition=Ready",
    },
    {
      does: "Until nothing of production is deployed any more",
      run: "bowline wait workloadinstances -l env=prod --for delete --timeout 10m",
    },
    {
      does: "Until a cluster runs in another region",
      run: "bowline wait cluster prod-eu-1 --for spec.region=eu-west-1",
    },
  ]);
}
