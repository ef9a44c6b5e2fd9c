import { existsSync } from "node:fs";

import { addCheckConfigCommand } from "../../command/check-config-command.ts";
import type { CommandContext } from "../../command/command-context.ts";
import type { AddCommand } from "../../command/command-set.ts";
import { addExamples } from "../../command/examples.ts";
import { runProgram } from "../../command/run-program.ts";
import { addSettingOptions, givenFlags, type GivenFlags } from "../../command/setting-options.ts";
import { addKeysCommand } from "./keys-command.ts";
import { addMigrateCommand } from "./migrate-command.ts";
import { addRecoverCommand } from "./recover-command.ts";
import { startedText } from "./started-text.ts";

/** The flags of the server are those of its table of settings, which is small; the server itself is read when it runs. */
export async function loadServerCommand(): Promise<AddCommand> {
  const { serverSettings } = await import("@bowline/server/settings");
  return (program, context) => {
    const command = program
      .command("server")
      .description(
        "Run a Bowline server until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nEvery flag can also be an environment variable or a line of the config file; docs/reference/configuration.md lists them.",
      )
      .action(() => runServer(context, givenFlags(command)));
    addSettingOptions(command, serverSettings);
    addCheckConfigCommand(command, context, {
      load: async (sources) => (await import("@bowline/server")).loadConfig(sources),
      examples: [
        {
          does: "Before a restart with a new config file",
          run: "bowline server check-config --config new.yaml",
        },
      ],
    });
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

/** Runs the server until the process is told to stop. */
async function runServer(context: CommandContext, flags: GivenFlags): Promise<void> {
  const { environment, version } = context;
  const { loadConfig, startServer } = await import("@bowline/server");
  const config = loadConfig({ flags, environment });
  const program = environment["npm_command"] === undefined ? "bowline" : "npx bowline";
  await runProgram(context, {
    name: "server",
    config,
    start: startServer,
    started: (server) =>
      startedText({
        ...server,
        hasAdminTokenFile: existsSync(server.adminTokenFile),
        version,
        role: config.role,
        program,
      }),
  });
}
