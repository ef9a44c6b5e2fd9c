import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { noHeadersOption, outputOption } from "../../command/shared-options.ts";
import type { ApiKindsOptions } from "./api-kinds.ts";

export function addApiKindsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("api-kinds")
    .description("List the kinds of objects, and the names that commands know them by.")
    .addOption(outputOption(["table", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .action(async (options: ApiKindsOptions) => {
      const { listKinds } = await import("./api-kinds.ts");
      await listKinds(context, options);
    });
  addExamples(command, [{ does: "List them", run: "bowline api-kinds" }]);
}
