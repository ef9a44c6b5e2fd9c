import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { parseCount } from "../../command/shared-options.ts";
import { givenFlags } from "../../command/setting-options.ts";
import { TableWriter } from "../../output/table-writer.ts";

const loadServer = () => import("@bowline/server");

type Server = Awaited<ReturnType<typeof loadServer>>;
type Migrator = Parameters<Parameters<Server["withMigrator"]>[1]>[0];

interface DownOptions {
  readonly steps: number;
  readonly yes: boolean;
}

/** `bowline server migrate up|down|status`. A server brings its database up to date by itself; these are for by hand. */
export function addMigrateCommand(server: Command, context: CommandContext): void {
  const withMigrator = async <T>(work: (migrator: Migrator) => Promise<T>): Promise<T> => {
    const { loadConfig, withMigrator: open } = await loadServer();
    return open(loadConfig({ flags: givenFlags(server), environment: context.environment }), work);
  };
  const command = server
    .command("migrate")
    .description(
      "Look at the schema of the database, or change it. A server brings it up to date when it starts; with SQLite the server has to be stopped for these commands.",
    );
  command
    .command("status")
    .description("List the migrations, and when each was applied.")
    .action(async () => {
      const migrations = await withMigrator((migrator) => migrator.status());
      const rows = migrations.map(({ name, appliedAt }) => [name, appliedAt?.toISOString() ?? "not applied"]);
      context.terminal.out(new TableWriter(["MIGRATION", "APPLIED"]).rows(rows));
    });
  command
    .command("up")
    .description("Apply what is missing.")
    .action(async () => say(context, "applied", await withMigrator((migrator) => migrator.up())));
  command
    .command("down")
    .description("Take the last migrations back, and the data they hold with them.")
    .option("--steps <COUNT>", "How many", parseCount, 1)
    .option("-y, --yes", "Do not ask", false)
    .action(async ({ steps, yes }: DownOptions) => {
      if (!yes)
        await confirm(context, `Data of the last ${steps === 1 ? "migration" : `${steps} migrations`}`);
      say(context, "taken back", await withMigrator((migrator) => migrator.down(steps)));
    });
  addExamples(command, [
    { does: "Which migrations the database has", run: "bowline server migrate status" },
    {
      does: "Before the first start of a new version",
      run: "bowline server migrate up --config server.yaml",
    },
  ]);
}

function say({ terminal }: CommandContext, what: string, names: readonly string[]): void {
  terminal.out(
    names.length === 0 ? "There was nothing to do.\n" : names.map((name) => `${what} ${name}\n`).join(""),
  );
}

async function confirm({ terminal, signal }: CommandContext, what: string): Promise<void> {
  if (!terminal.canAsk) {
    throw new BowlineError("InvalidArgument", `${what} will be lost; say that you mean it with --yes.`);
  }
  const answer = await terminal.ask(`${what} will be lost. Go on? [y/N] `, { signal });
  if (!/^y(?:es)?$/iu.test(answer.trim())) throw new BowlineError("Cancelled", "Nothing was changed.");
}
