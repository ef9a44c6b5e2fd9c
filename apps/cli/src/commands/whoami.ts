import type { Whoami } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { outputOption } from "../command/shared-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";

export function addWhoamiCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("whoami")
    .description("Show who the server takes you for, and what you may do.")
    .addOption(outputOption(["json", "yaml"]))
    .action((options: WhoamiOptions) => whoami(context, options));
  addExamples(command, [
    { does: "Show it", run: "bowline whoami" },
    { does: "Use the name in a script", run: "bowline whoami -o json | jq -r .user" },
  ]);
}

interface WhoamiOptions {
  readonly output?: "json" | "yaml";
}

export async function whoami(context: CommandContext, { output }: WhoamiOptions): Promise<void> {
  const client = await context.client();
  const identity = await client.whoami();
  const text = output === undefined ? describe(identity, client.server) : await toDocument(identity, output);
  context.terminal.out(text);
}

function describe(identity: Whoami, server: string): string {
  const { user, role, groups, token, method, expiresAt } = identity;
  const rows = [
    ["User:", user],
    ["Role:", role],
    ["Groups:", groups.length === 0 ? "<none>" : groups.join(", ")],
    ["Signed in by:", token === undefined ? method : `token ${token}`],
    ["Expires:", expiresAt ?? "never"],
    ["Server:", server],
  ];
  return new TableWriter([], { noHeaders: true }).rows(rows.map((row) => row.map(printableLine)));
}
