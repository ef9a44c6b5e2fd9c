import { isLoopback } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { openBrowser } from "./open-browser.ts";

export function addUiCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("ui")
    .description(
      "Open the console in a browser, signed in as you are here.\n\nThe link has a one-time code in it, which works once and for a minute. The browser then has a session of its own, with the rights of the token that you use here, until that ends or you sign out.",
    )
    .option("--no-browser", "Only print the link")
    .action((options: UiOptions) => openUi(context, options));
  addExamples(command, [
    { does: "Open it", run: "bowline ui" },
    { does: "Open it with a browser on another machine", run: "bowline ui --no-browser" },
  ]);
}

interface UiOptions {
  readonly browser: boolean;
}

export async function openUi(context: CommandContext, { browser }: UiOptions): Promise<void> {
  const { terminal, environment } = context;
  const client = await context.client();
  const { loopbackUrl } = await client.consoleInfo();
  const { code } = await client.createSignInCode();
  const { hostname } = new URL(client.server);
  // On the machine of the server there is no need to trust its certificate.
  const page = isLoopback(hostname) && loopbackUrl !== undefined ? loopbackUrl : `${client.server}/ui/`;
  const link = `${page}#code=${encodeURIComponent(code)}`;
  if (browser && (await openBrowser(link, environment))) {
    terminal.out(`The console opens in your browser. If it does not: ${link}\n`);
    return;
  }
  if (browser) terminal.error("There is no program here that opens a browser; open this link yourself:\n");
  terminal.out(`${link}\n`);
}
