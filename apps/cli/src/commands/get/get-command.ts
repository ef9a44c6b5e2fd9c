import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { parseCount, noHeadersOption, outputOption } from "../../command/shared-options.ts";
import { resourceUsage } from "../../resources/parse-resources.ts";
import { addSelectOptions } from "../../resources/select-options.ts";
import { getAndPrint, type GetOptions } from "./get-and-print.ts";
import { watchAndPrint } from "./watch-and-print.ts";

export function addGetCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("get")
    .usage(`${resourceUsage} [FLAGS]`)
    .description(
      "Show objects: all of a kind, of several kinds separated by commas, of all kinds, or by name.",
    )
    .argument("[resources...]", "KIND, KIND NAME, KIND/NAME, KIND,KIND or all");
  addSelectOptions(command)
    .addOption(outputOption(["table", "wide", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .option("--show-labels", "Add a column with the labels", false)
    .option("--sort-by <FIELD>", "Sort by a field, e.g. metadata.createdAt")
    .option("--limit <COUNT>", "Show no more objects of a kind than this", parseCount)
    .option("--chunk-size <COUNT>", "Ask the server for as many objects at a time", parseCount)
    .option("--ignore-not-found", "Do not mind names that do not exist", false)
    .option("-w, --watch", "Go on to show what changes", false)
    .option("--watch-only", "Show only what changes, without what is there", false)
    .option("--output-watch-events", "Say of each change whether it is ADDED, MODIFIED or DELETED", false)
    .action((args: string[], options: GetOptions) =>
      options.watch || options.watchOnly
        ? watchAndPrint(context, args, options)
        : getAndPrint(context, args, options),
    );
  addExamples(command, [
    { does: "List clusters, with every column", run: "bowline get clusters -o wide" },
    {
      does: "What is not ready, of two kinds",
      run: "bowline get cl,wi --field-selector status.conditions.Ready=False",
    },
    { does: "Watch the instances of production", run: "bowline get workloadinstances -l env=prod --watch" },
    {
      does: "Keep everything in a file that apply accepts",
      run: "bowline get all -o yaml > everything.yaml",
    },
    { does: "One object as JSON", run: "bowline get cluster/prod-eu-1 -o json" },
  ]);
}
