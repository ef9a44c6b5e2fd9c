import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { programLogger } from "../../command/run-program.ts";
import { givenFlags } from "../../command/setting-options.ts";

/** `bowline server recover`, for when nobody can sign in any more. */
export function addRecoverCommand(server: Command, context: CommandContext): void {
  const command = server
    .command("recover")
    .summary("Let the admin in again when every token is lost")
    .description(
      "Print a token of the User admin that works for a day, when nobody can sign in any more. The User is made, or made admin again and enabled, where it has to be. With SQLite the server has to be stopped for it.",
    )
    .action(async () => {
      const bowline = await import("@bowline/server");
      const config = bowline.loadConfig({ flags: givenFlags(server), environment: context.environment });
      const logger = programLogger(context, "server", config);
      const { token, secret, expiresAt } = await bowline.recoverAdmin({
        config,
        logger,
        signal: context.signal,
      });
      context.terminal.error(`token/${token} works until ${expiresAt}; it is shown only now:\n`);
      context.terminal.out(`${secret}\n`);
    });
  addExamples(command, [
    {
      does: "Keep the token in a file that only you can read",
      run: "(umask 077; bowline server recover > admin.token)",
    },
  ]);
}
