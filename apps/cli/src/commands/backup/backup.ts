import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { outputOption } from "../../command/shared-options.ts";
import { createBackup, type CreateBackupOptions } from "./create-backup.ts";
import { showBackup, verifyBackup, type ShowBackupOptions } from "./show-backup.ts";

/** `bowline backup create|verify|show`. */
export function addBackupCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("backup")
    .description(
      "Make backups of a server that runs, and look at them. A backup has everything that the server remembers, on SQLite and PostgreSQL alike; the encryption keys are not in it, and without them its secrets, and the server's CA, are lost. `bowline restore` puts it into an empty database.",
    );
  command
    .command("create [FILE]")
    .description(
      "Make a backup of the server that you are signed in to, as admin. It is a moment of the whole database; others go on working meanwhile.",
    )
    .option("--no-history", "Leave out the audit log and the events")
    .option("--force", "Replace the file if it is there", false)
    .action((file: string | undefined, options: CreateBackupOptions) => createBackup(context, file, options));
  command
    .command("verify <FILE>")
    .description("Read a backup from end to end and say whether it is whole. It takes no server.")
    .action((file: string) => verifyBackup(context, file));
  command
    .command("show <FILE>")
    .description("Show what a backup says about itself: when it was made, of what, and which keys it needs.")
    .addOption(outputOption(["json", "yaml"]))
    .action((file: string, options: ShowBackupOptions) => showBackup(context, file, options));
  addExamples(command, [
    { does: "A backup of the server, with its time in the name", run: "bowline backup create" },
    {
      does: "Every night, without the past",
      run: "bowline backup create --no-history --force /var/backups/bowline.backup",
    },
    { does: "Whether a copy is whole", run: "bowline backup verify bowline.backup" },
    { does: "Which keys it needs", run: "bowline backup show bowline.backup -o json | jq .encryptionKeys" },
  ]);
}
