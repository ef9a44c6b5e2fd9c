import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addAdd, addRevoke, addRotate } from "./agent-commands.ts";
import { addRemove } from "./remove-command.ts";
import { addDescribe, addList } from "./view-commands.ts";

export function addClusterCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("cluster")
    .description(
      "Add clusters and look at them, renew and revoke the keys of their agents, and remove them.",
    );
  addExamples(command, [
    {
      does: "Add a cluster: run the agent in it that connects to the server",
      run: "bowline cluster add prod-eu-1 | kubectl --context prod-eu-1 apply -f -",
    },
    { does: "See which clusters are connected", run: "bowline cluster list" },
    {
      does: "Shut out an agent whose key got into the wrong hands",
      run: "bowline cluster revoke prod-eu-1",
    },
  ]);
  addAdd(command, context);
  addList(command, context);
  addDescribe(command, context);
  addRotate(command, context);
  addRevoke(command, context);
  addRemove(command, context);
}
