import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";

export function addLogoutCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("logout")
    .description(
      "Forget the token of a context. The context itself stays, so that `bowline login` needs no more than a token. The token still works for whoever else has it; `bowline token revoke` ends it.",
    )
    .argument("[NAME]", "The context; the current one if left out")
    .action(async (name: string | undefined) => {
      const { logout } = await import("./logout.ts");
      await logout(context, name);
    });
  addExamples(command, [
    { does: "Sign out of the current server", run: "bowline logout" },
    { does: "Sign out of another one", run: "bowline logout staging" },
  ]);
}
