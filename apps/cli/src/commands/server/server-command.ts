import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import type { AddCommand } from "../../command/command-set.ts";
import { addKeysCommand } from "./keys-command.ts";
import { addMigrateCommand } from "./migrate-command.ts";
import { addRecoverCommand } from "./recover-command.ts";
import { givenFlags, loadSettingOptions } from "./setting-options.ts";

/** The flags of the server are those of its table of settings, which is small; the server itself is read when it runs. */
export async function loadServerCommand(): Promise<AddCommand> {
  const addSettingOptions = await loadSettingOptions();
  return (program, context) => {
    const command = program
      .command("server")
      .description(
        "Run a Bowline server until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nEvery flag can also be an environment variable or a line of the config file; docs/reference/configuration.md lists them.",
      )
      .action(async () => {
        const { runServer } = await import("./run-server.ts");
        await runServer(context, givenFlags(command));
      });
    addSettingOptions(command);
    addCheckConfigCommand(command, context);
    addMigrateCommand(command, context);
    addKeysCommand(command, context);
    addRecoverCommand(command, context);
    addExamples(command, [
      { does: "A server for this machine, with its data in your home folder", run: "bowline server" },
      {
        does: "For other machines, under a name",
        run: "bowline server --listen 0.0.0.0:7443 --advertised-url https://bowline.example.com:7443",
      },
      {
        does: "On PostgreSQL, with a certificate of your own",
        run: "bowline server --database-url-file /etc/bowline/database-url \\\n  --tls-cert-file /etc/bowline/tls.crt --tls-key-file /etc/bowline/tls.key",
      },
      { does: "With settings from a file", run: "bowline server --config /etc/bowline/server.yaml" },
    ]);
  };
}

function addCheckConfigCommand(server: Command, context: CommandContext): void {
  const command = server
    .command("check-config")
    .description("Say what is wrong with the settings, or list each of them with the place it is from.")
    .action(async () => {
      const { checkConfig } = await import("./check-config.ts");
      await checkConfig(context, givenFlags(server));
    });
  addExamples(command, [
    { does: "Before a restart with a new config file", run: "bowline server check-config --config new.yaml" },
  ]);
}
