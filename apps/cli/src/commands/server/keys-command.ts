import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { programLogger } from "../../command/run-program.ts";
import { givenFlags } from "../../command/setting-options.ts";

const loadServer = () => import("@bowline/server");

type Server = Awaited<ReturnType<typeof loadServer>>;
type Reencrypted = Awaited<ReturnType<Server["reencryptSecrets"]>>;

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
