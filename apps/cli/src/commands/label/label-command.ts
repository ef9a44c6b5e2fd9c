import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addMetadataOptions } from "./metadata-options.ts";
import { changeMetadata, type MetadataOptions } from "./change-metadata.ts";

export function addLabelCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("label")
    .description(
      "Set labels of objects, or take them out. Selectors of placements, grants and -l go by labels.",
    );
  addMetadataOptions(command).action((args: string[], options: MetadataOptions) =>
    changeMetadata(context, { name: "labels", done: "labeled" }, args, options),
  );
  addExamples(command, [
    { does: "Set one label and take out another", run: "bowline label cluster prod-eu-1 env=prod canary-" },
    {
      does: "Change a label of several clusters",
      run: "bowline label clusters -l env=stage env=prod --overwrite",
    },
  ]);
}
