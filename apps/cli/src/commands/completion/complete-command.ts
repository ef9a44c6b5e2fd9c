import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";

/** What the scripts of `completion` call; nobody else needs it. */
export function addCompleteCommand(program: Command, context: CommandContext): void {
  program
    .command("__complete", { hidden: true })
    .description("Print what may follow on a command line.")
    .argument("<LINE>", "The command line up to the cursor")
    .action(async (line: string) => {
      const { completeLine } = await import("./complete-line.ts");
      const suggestions = await completeLine(line, context);
      context.terminal.out(
        suggestions
          .map(
            ({ value, description }) => `${description === undefined ? value : `${value}\t${description}`}\n`,
          )
          .join(""),
      );
    });
}
