import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/examples.ts";
import { requireContext } from "../connection/choose-connection.ts";
import { changeConfig } from "../connection/config-file.ts";

export function addLogoutCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("logout")
    .description(
      "Forget the token of a context. The context itself stays, so that `bowline login` needs no more than a token. The token still works for whoever else has it; `bowline token revoke` ends it.",
    )
    .argument("[NAME]", "The context; the current one if left out")
    .action((name: string | undefined) => logout(context, name));
  addExamples(command, [
    { does: "Sign out of the current server", run: "bowline logout" },
    { does: "Sign out of another one", run: "bowline logout staging" },
  ]);
}

export async function logout(context: CommandContext, name: string | undefined): Promise<void> {
  const entry = await changeConfig(context.environment, (config) => {
    const wanted = name ?? context.globals.context ?? config.currentContext;
    if (wanted === undefined)
      throw new BowlineError("NotLoggedIn", "No context is current, so there is nothing to sign out of.");
    const { token: _token, tokenFile: _tokenFile, ...rest } = requireContext(config, wanted);
    config.put(rest);
    return rest;
  });
  context.terminal.out(`Signed out of ${entry.server}.\n`);
}
