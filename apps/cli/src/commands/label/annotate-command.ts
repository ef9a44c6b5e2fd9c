import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addMetadataOptions } from "./metadata-options.ts";
import { changeMetadata, type MetadataOptions } from "./change-metadata.ts";

export function addAnnotateCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("annotate")
    .description("Set annotations of objects, which are notes for people and programs, or take them out.");
  addMetadataOptions(command).action((args: string[], options: MetadataOptions) =>
    changeMetadata(context, { name: "annotations", done: "annotated" }, args, options),
  );
  addExamples(command, [
    { does: "Leave a note", run: 'bowline annotate cluster prod-eu-1 contact="team-a, phone 1234"' },
    { does: "Take it out again", run: "bowline annotate cluster prod-eu-1 contact-" },
  ]);
}
