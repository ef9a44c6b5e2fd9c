import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { outputOption } from "../../command/shared-options.ts";

const collect = (value: string, values: readonly string[] = []): string[] => [...values, value];

export interface UpgradeFlags {
  readonly check: boolean;
  readonly to?: string;
  readonly output?: "json" | "yaml";
  /** `false` for `--no-backup`. */
  readonly backup: boolean;
  readonly force: boolean;
  readonly image?: string;
  readonly values?: readonly string[];
  readonly set?: readonly string[];
}

export function addUpgradeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("upgrade")
    .description(
      "Bring an installation that `bowline up` made to the version of this program: look what stands against it, make a backup, put the new server in the place of the old one, and wait until it is ready. In a cluster with several replicas a new one is ready before an old one goes, and no request is lost; the first new one changes the database before it serves. A server on this machine is away for a moment.\n\nAn upgrade that would lose something is refused: to an older version, over more than one minor version, or of a database that a newer version has changed. Run again, it goes on where it stopped.\n\nWith --check it only looks, at the server that you are signed in to, as admin: changes of the database, replicas and agents of other versions, rollouts under way, and how old the last backup is. The exit code is then 0 when nothing stands against it, and 1 when something does.",
    )
    .argument("[NAME]", "The installation; the only one, if left out")
    .option("--check", "Only look", false)
    .option("--to <VERSION>", "With --check: the version to be; that of this program when not given")
    .addOption(outputOption(["json", "yaml"]))
    .option("--no-backup", "Make no backup before")
    .option("--force", "Go on although something is wrong that loses nothing", false)
    .option("--image <IMAGE>", "In a cluster: the image of the new server")
    .addOption(
      new Option(
        "-f, --values <FILE>",
        "In a cluster: other values, in the place of all from before; give it again for more",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--set <PATH=VALUE>",
        "In a cluster: one of those other values, without which all stay as they are; give it again for more",
      ).argParser(collect),
    )
    .action(async (name: string | undefined, flags: UpgradeFlags) => {
      if (flags.check) return (await import("./check-upgrade.ts")).showChecks(context, flags);
      return (await import("./upgrade-installation.ts")).upgradeInstallation(context, name, flags);
    });
  addExamples(command, [
    { does: "What stands against the version of this program", run: "bowline upgrade --check" },
    { does: "Before another version", run: "bowline upgrade --check --to 0.3.0" },
    { does: "The server on this machine", run: "bowline upgrade local" },
    {
      does: "The server in a cluster, with an image from a registry of your own",
      run: "bowline upgrade bowline --image registry.example.com/bowline:0.2.0",
    },
  ]);
}
