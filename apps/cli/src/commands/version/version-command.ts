import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { outputOption } from "../../command/shared-options.ts";
import type { VersionOptions } from "./version.ts";

export function addVersionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("version")
    .description("Show the version of this program, and of the server it talks to.")
    .option("--client", "Show only that of this program, and ask no server", false)
    .addOption(outputOption(["json", "yaml"]))
    .action(async (options: VersionOptions) => {
      const { showVersion } = await import("./version.ts");
      await showVersion(context, options);
    });
  addExamples(command, [
    { does: "Show both", run: "bowline version" },
    { does: "Show that of this program", run: "bowline version --client" },
  ]);
}
