import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { requireContext } from "../../connection/choose-connection.ts";
import { changeConfig } from "../../connection/config-file.ts";

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
