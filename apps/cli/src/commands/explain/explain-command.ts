import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";

export interface ExplainOptions {
  readonly recursive: boolean;
}

export function addExplainCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("explain")
    .description(
      "Explain a kind of objects, or a field of it: what it is for, what it may be, what it is if left out.",
    )
    .argument("<KIND[.FIELD…]>", "The kind, and after dots the field")
    .option("-r, --recursive", "Show the fields below those as well", false)
    .action(async (path: string, options: ExplainOptions) => {
      const { explain } = await import("./explain.ts");
      context.terminal.out(explain(path, { ...options, columns: context.terminal.columns ?? 100 }));
    });
  addExamples(command, [
    { does: "Explain what a cluster is", run: "bowline explain cluster" },
    { does: "Explain where a workload may run", run: "bowline explain workloadinstance.spec.placement" },
    { does: "Show every field of a kind", run: "bowline explain cluster --recursive" },
  ]);
}
