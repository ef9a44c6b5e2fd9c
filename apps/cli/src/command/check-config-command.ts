import type { SettingReport, SettingSources } from "@bowline/program";
import type { Command } from "commander";

import type { CommandContext } from "./command-context.ts";
import { addExamples, type Example } from "./examples.ts";
import { printableLine } from "../output/terminal-text.ts";
import { TableWriter } from "../output/table-writer.ts";
import { givenFlags } from "./setting-options.ts";

export interface CheckConfigOptions {
  /** Reads the settings of the program as its start does; throws for all that is wrong. */
  readonly load: (sources: SettingSources) => Promise<SettingReport>;
  readonly examples: readonly Example[];
}

/** Adds `check-config` to the command that runs a program: it starts nothing. */
export function addCheckConfigCommand(
  program: Command,
  context: CommandContext,
  { load, examples }: CheckConfigOptions,
): void {
  const command = program
    .command("check-config")
    .description("Say what is wrong with the settings, or list each of them with the place it is from.")
    .action(async () => {
      const sources = { flags: givenFlags(program), environment: context.environment };
      showSettings(context, await load(sources));
    });
  addExamples(command, examples);
}

function showSettings({ terminal }: CommandContext, { origins, warnings }: SettingReport): void {
  for (const warning of warnings) terminal.error(`warning: ${printableLine(warning)}\n`);
  const rows = [...origins.values()].map(({ name, shown, otherwise = "none", source }) =>
    [name, shown ?? `(${otherwise.replaceAll("`", "")})`, source].map((cell) => printableLine(cell)),
  );
  terminal.out(new TableWriter(["SETTING", "VALUE", "FROM"]).rows(rows));
}
