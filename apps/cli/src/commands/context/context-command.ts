import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { noHeadersOption, outputOption } from "../../command/shared-options.ts";
import type { ListContextsOptions, ShowContextOptions } from "./contexts.ts";

export function addContextCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("context")
    .description("List, choose and change the contexts: the servers this machine knows, each under a name.");
  addExamples(command, [
    { does: "List them; the current one has a star", run: "bowline context list" },
    { does: "Choose another one", run: "bowline context use staging" },
    { does: "Choose another one for a single command", run: "bowline get clusters --context staging" },
  ]);

  const list = command
    .command("list")
    .alias("ls")
    .summary("List contexts")
    .description("List contexts; the current one has a star.")
    .addOption(outputOption(["table", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .action(async (options: ListContextsOptions) => {
      const { listContexts } = await import("./contexts.ts");
      await listContexts(context, options);
    });
  addExamples(list, [{ does: "Use the names in a script", run: "bowline context list -o name" }]);

  const use = command
    .command("use")
    .summary("Make a context the current one")
    .description("Make a context the current one.")
    .argument("<NAME>", "The context")
    .action(async (name: string) => {
      const { useContext } = await import("./contexts.ts");
      await useContext(context, name);
    });
  addExamples(use, [{ does: "Work with another server from now on", run: "bowline context use staging" }]);

  const show = command
    .command("show")
    .summary("Show a context")
    .description("Show a context, without its token.")
    .argument("[NAME]", "The context; the current one if left out")
    .addOption(outputOption(["yaml", "json"], "yaml"))
    .action(async (name: string | undefined, options: ShowContextOptions) => {
      const { showContext } = await import("./contexts.ts");
      await showContext(context, name, options);
    });
  addExamples(show, [{ does: "Show the current one", run: "bowline context show" }]);

  const remove = command
    .command("delete")
    .alias("rm")
    .summary("Forget a context")
    .description("Forget a context and its token.")
    .argument("<NAME>", "The context")
    .action(async (name: string) => {
      const { deleteContext } = await import("./contexts.ts");
      await deleteContext(context, name);
    });
  addExamples(remove, [{ does: "Forget a server", run: "bowline context delete staging" }]);

  const rename = command
    .command("rename")
    .summary("Give a context another name")
    .description("Give a context another name.")
    .argument("<NAME>", "The context")
    .argument("<NEW-NAME>", "What to call it from now on")
    .action(async (name: string, newName: string) => {
      const { renameContext } = await import("./contexts.ts");
      await renameContext(context, name, newName);
    });
  addExamples(rename, [{ does: "Use a shorter name", run: "bowline context rename 127.0.0.1:7443 local" }]);
}
