import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { outputOption } from "../../command/shared-options.ts";
import type { WhoamiOptions } from "./whoami.ts";

export function addWhoamiCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("whoami")
    .description("Show who the server takes you for, and what you may do.")
    .addOption(outputOption(["json", "yaml"]))
    .action(async (options: WhoamiOptions) => {
      const { whoami } = await import("./whoami.ts");
      await whoami(context, options);
    });
  addExamples(command, [
    { does: "Show it", run: "bowline whoami" },
    { does: "Use the name in a script", run: "bowline whoami -o json | jq -r .user" },
  ]);
}
