import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples, type AddCommand } from "../command/command-set.ts";
import { programLogger } from "../command/run-program.ts";
import { addSettingOptions, givenFlags } from "../command/setting-options.ts";
import { ProgressLine } from "../output/progress-line.ts";
import { rowsText } from "./backup/show-backup.ts";

/** Its flags are those of the server, whose database it fills. */
export async function loadRestoreCommand(): Promise<AddCommand> {
  const { serverSettings } = await import("@bowline/server/settings");
  return (program, context) => {
    const command = program
      .command("restore <FILE>")
      .description(
        "Put a backup into the empty database of a server that is stopped, or was never started. It takes the settings of that server, and the encryption keys of the one that made the backup.\n\nThe backup may come from SQLite and go to PostgreSQL, and the other way round. It is put in as a whole or not at all: after whatever has ended it, it can be begun again. Every flag can also be an environment variable or a line of the config file; docs/reference/configuration.md lists them.",
      )
      .action((file: string) => restore(context, command, file));
    addSettingOptions(command, serverSettings);
    addExamples(command, [
      {
        does: "On another machine, with the keys of the server that made the backup",
        run: "mkdir -m 700 /var/lib/bowline\ncp encryption.keys /var/lib/bowline/\nbowline restore bowline.backup --data /var/lib/bowline",
      },
      {
        does: "From SQLite to PostgreSQL",
        run: "bowline restore bowline.backup --database-url-file /etc/bowline/database-url \\\n  --encryption-keys-file /etc/bowline/encryption.keys",
      },
      { does: "With the settings of the server", run: "bowline restore bowline.backup --config server.yaml" },
    ]);
  };
}

async function restore(context: CommandContext, command: Command, file: string): Promise<void> {
  const { terminal, signal, environment } = context;
  const { loadConfig, restoreServer } = await import("@bowline/server");
  const config = loadConfig({ flags: givenFlags(command), environment });
  const logger = programLogger(context, "restore", config);
  using line = new ProgressLine(terminal);
  line.show(`${file}: reading it`);
  const onProgress = (rows: number): void => line.show(`${file}: ${rows} rows`);
  const { header, trailer } = await restoreServer({ config, logger, signal, file, onProgress });
  line[Symbol.dispose]();
  terminal.out(`Restored ${rowsText(trailer)} of the backup of ${header.createdAt}.\n`);
  terminal.error(
    [
      "Start the server with the same settings, at the address that agents and people know: agents come back by themselves, and tokens work as before.",
      "What was done after the backup was made is not in it, but it is still in the clusters: `bowline doctor` lists the workloads there that the server does not know.",
      "",
    ].join("\n"),
  );
}
