import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { CommandExit } from "../command/failure.ts";
import { outputOption } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";

export function addVersionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("version")
    .description("Show the version of this program, and of the server it talks to.")
    .option("--client", "Show only that of this program, and ask no server", false)
    .addOption(outputOption(["json", "yaml"]))
    .action((options: VersionOptions) => showVersion(context, options));
  addExamples(command, [
    { does: "Show both", run: "bowline version" },
    { does: "Show that of this program", run: "bowline version --client" },
    { does: "Show also the commit it was made from, and its Node", run: "bowline version --client -o json" },
  ]);
}

interface VersionOptions {
  readonly client: boolean;
  readonly output?: "json" | "yaml";
}

interface Versions {
  readonly client: string;
  /** The commit that this program was made from. */
  readonly revision?: string;
  readonly node: string;
  readonly server?: string;
}

/** The version of the client is shown even if the server cannot be asked. */
async function showVersion(context: CommandContext, options: VersionOptions): Promise<void> {
  const { server, failure } = options.client ? {} : await askServer(context);
  const { version, revision } = context;
  const versions: Versions = {
    client: version,
    ...(revision === undefined ? {} : { revision }),
    node: process.version,
    ...(server === undefined ? {} : { server }),
  };
  context.terminal.out(
    options.output === undefined ? describe(versions) : await toDocument(versions, options.output),
  );
  if (failure !== undefined) throw new CommandExit(1, failure);
}

interface Asked {
  readonly server?: string;
  readonly failure?: BowlineError;
}

async function askServer(context: CommandContext): Promise<Asked> {
  try {
    const client = await context.client();
    return { server: (await client.version()).version };
  } catch (thrown) {
    const failure = BowlineError.from(thrown);
    // Without a server there is nobody to ask, and nothing is wrong.
    return failure.code === "NotLoggedIn" ? {} : { failure };
  }
}

function describe({ client, server }: Versions): string {
  const lines = [`Client: ${client}`, ...(server === undefined ? [] : [`Server: ${printableLine(server)}`])];
  return `${lines.join("\n")}\n`;
}
