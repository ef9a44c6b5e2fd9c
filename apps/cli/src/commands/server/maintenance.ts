import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { parseCount } from "../../command/shared-options.ts";
import { givenFlags } from "../../command/setting-options.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { programLogger } from "../../command/run-program.ts";

const loadServer = () => import("@bowline/server");

type Server = Awaited<ReturnType<typeof loadServer>>;
type Migrator = Parameters<Parameters<Server["withMigrator"]>[1]>[0];
type Reencrypted = Awaited<ReturnType<Server["reencryptSecrets"]>>;

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

/** `bowline server keys rotate|new|reencrypt`, for the keys that secrets in the database are encrypted with. */
export function addKeysCommand(server: Command, context: CommandContext): void {
  const work = async (name: "rotateEncryptionKey" | "reencryptSecrets"): Promise<void> => {
    const bowline = await loadServer();
    const config = bowline.loadConfig({ flags: givenFlags(server), environment: context.environment });
    const { signal, terminal } = context;
    const logger = programLogger(context, "server", config);
    terminal.out(report(await bowline[name]({ config, logger, signal })));
  };
  const command = server
    .command("keys")
    .description(
      "Change the keys that secrets in the database are encrypted with. With SQLite the server has to be stopped for it.",
    );
  command
    .command("rotate")
    .description("Put a new key first in the key file, and encrypt everything with it.")
    .action(() => work("rotateEncryptionKey"));
  command
    .command("reencrypt")
    .description("Encrypt everything with the first key of the key file.")
    .action(() => work("reencryptSecrets"));
  command
    .command("new")
    .description("Print a new key as a line for a key file; nothing else is done.")
    .action(async () => {
      const { newEncryptionKey } = await loadServer();
      context.terminal.out(newEncryptionKey());
    });
  addExamples(command, [
    { does: "Change the key of a server that is stopped", run: "bowline server keys rotate" },
    { does: "A key file for several servers", run: "bowline server keys new > encryption.keys" },
  ]);
}

function report({ changed, file, newestKey, otherKeys }: Reencrypted): string {
  const others =
    otherKeys.length === 0
      ? ""
      : `Secrets need no other key any more; after a day, ${otherKeys.join(" and ")} can be taken out of ${file}.\n`;
  return `Encrypted ${changed === 1 ? "1 value" : `${changed} values`} with the key ${newestKey}.\n${others}`;
}

/** `bowline server recover`, for when nobody can sign in any more. */
export function addRecoverCommand(server: Command, context: CommandContext): void {
  const command = server
    .command("recover")
    .summary("Let the admin in again when every token is lost")
    .description(
      "Print a token of the User admin that works for a day, when nobody can sign in any more. The User is made, or made admin again and enabled, where it has to be. With SQLite the server has to be stopped for it.",
    )
    .action(async () => {
      const bowline = await loadServer();
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
