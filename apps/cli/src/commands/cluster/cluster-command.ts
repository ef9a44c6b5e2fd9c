import type { Command } from "commander";

import type { CommandContext } from "../../command-context.ts";
import { addExamples } from "../../help/examples.ts";
import { addRemove } from "./remove-command.ts";
import { addDescribe, addList } from "./view-commands.ts";

export function addClusterCommand(program: Command, context: CommandContext): void {
  const command = program.command("cluster").description("Look at clusters, and remove them.");
  addExamples(command, [
    { does: "See which clusters are connected", run: "bowline cluster list" },
    { does: "Remove one", run: "bowline cluster remove prod-eu-1" },
  ]);
  addList(command, context);
  addDescribe(command, context);
  addRemove(command, context);
}
