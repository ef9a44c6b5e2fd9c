import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { parseResources } from "../../resources/parse-resources.ts";
import type { Resource } from "../../resources/resource.ts";
import { editObject } from "./edit-object.ts";

export function addEditCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("edit")
    .usage("(KIND NAME | KIND/NAME) [FLAGS]")
    .description(
      "Change an object in your editor, which is BOWLINE_EDITOR, VISUAL or EDITOR, or else vi. What the server refuses comes back with the reason above it. Nothing is written if somebody else has changed the object meanwhile.",
    )
    .argument("<resource...>", "KIND NAME or KIND/NAME")
    .action((args: string[]) => editObject(context, onlyOne(args)));
  addExamples(command, [
    { does: "Edit a cluster", run: "bowline edit cluster prod-eu-1" },
    { does: "Edit it in another editor", run: 'EDITOR="code --wait" bowline edit cluster/prod-eu-1' },
  ]);
}

function onlyOne(args: readonly string[]): Resource {
  const wanted = parseResources(args);
  const [only, ...others] = wanted.by === "name" ? wanted.resources : [];
  if (only !== undefined && others.length === 0) return only;
  throw new BowlineError("InvalidArgument", "Name the one object to edit: KIND NAME or KIND/NAME.");
}
