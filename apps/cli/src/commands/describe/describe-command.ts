import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { resourceUsage } from "../../resources/resource.ts";
import { addSelectOptions } from "../../resources/select-options.ts";
import { describeAll, type DescribeOptions } from "./describe-all.ts";

export function addDescribeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("describe")
    .usage(`${resourceUsage} [FLAGS]`)
    .description(
      "Show everything about objects for people to read: what they should be, how they are, what they refer to, what refers to them, and what happened to them lately.",
    )
    .argument("[resources...]", "KIND, KIND NAME or KIND/NAME");
  addSelectOptions(command)
    .option("--no-events", "Leave out what happened to them")
    .action((args: string[], options: DescribeOptions) => describeAll(context, args, options));
  addExamples(command, [
    { does: "Find out why a cluster is not ready", run: "bowline describe cluster prod-eu-1" },
    { does: "Every instance in production", run: "bowline describe workloadinstances -l env=prod" },
  ]);
}
