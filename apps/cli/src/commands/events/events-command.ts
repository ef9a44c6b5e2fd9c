import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { parseCount, noHeadersOption, outputOption } from "../../command/shared-options.ts";
import { printEvents, type EventsOptions } from "./print-events.ts";

export function addEventsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("events")
    .usage("[KIND [NAME] | KIND/NAME] [FLAGS]")
    .description(
      "Show what happened to objects, the newest last. What happened again is counted, not repeated.",
    )
    .argument("[resource...]", "KIND, KIND NAME or KIND/NAME; without it, everything")
    .addOption(new Option("--type <TYPE>", "Only events of this type").choices(["Normal", "Warning"]))
    .option("--reason <REASON>", "Only events with this reason")
    .option("--cluster <NAME>", "Only what happened in this cluster")
    .option("--limit <COUNT>", "Show no more than the newest ones", parseCount, 100)
    .option("-w, --watch", "Go on to show what happens", false)
    .addOption(outputOption(["table", "wide", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((args: string[], options: EventsOptions) => printEvents(context, args, options));
  addExamples(command, [
    { does: "What happened to a cluster", run: "bowline events cluster prod-eu-1" },
    { does: "Follow everything that somebody should look at", run: "bowline events --type Warning --watch" },
  ]);
}
