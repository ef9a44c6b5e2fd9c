import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";

export function addCredentialCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("credential")
    .description(
      "Print the token of the context as an ExecCredential. kubectl runs this by itself, as the kubeconfigs of `bowline kubeconfig` tell it to.",
    )
    .action(async () => {
      const { printCredential } = await import("./print-credential.ts");
      await printCredential(context);
    });
  addExamples(command, [
    { does: "What kubectl runs for a context", run: "bowline credential --context production" },
  ]);
}
