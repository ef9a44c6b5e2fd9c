import type { NamedSetting, SettingTable, SettingReport, SettingSources } from "@bowline/program";
import { Option, type Command } from "commander";

import type { CommandContext } from "./command-context.ts";
import { addExamples, type Example } from "./command-set.ts";
import { printableLine } from "../output/terminal-text.ts";
import { TableWriter } from "../output/table-writer.ts";

/** The flags that were given on the command line, by their names. */
export type GivenFlags = Readonly<Record<string, string | undefined>>;

/** Adds a flag for every setting of a program that has one. */
export function addSettingOptions(command: Command, table: SettingTable): void {
  const { configFile, named, groupTitles = {} } = table;
  if (configFile !== undefined) command.option(`${configFile.flag} <FILE>`, configFile.description);
  for (const setting of named) {
    const title = groupTitles[setting.name.split(".")[0] ?? ""];
    for (const option of optionsFor(setting)) {
      command.addOption(title === undefined ? option : option.helpGroup(`${title}:`));
    }
  }
}

/** The values of the flags, also when they were written after a subcommand. */
export function givenFlags(command: Command): GivenFlags {
  const values: Record<string, unknown> = command.opts();
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const value = values[option.attributeName()];
      return typeof option.long !== "string" || typeof value !== "string" ? [] : [[option.long, value]];
    }),
  );
}

function optionsFor({ flag, fromFile, setting }: NamedSetting): Option[] {
  const options: Option[] = [];
  if (flag !== undefined) {
    const option = new Option(`${flag} <${setting.type.placeholder}>`, helpOf(setting));
    options.push(setting.type.isList === true ? option.argParser(joined) : option);
  }
  if (fromFile !== undefined) {
    const help = flag === undefined ? `${helpOf(setting)}; read from a file` : "The same, read from a file";
    options.push(new Option(`${fromFile.flag} <FILE>`, help));
  }
  return options;
}

function joined(value: string, previous: string | undefined): string {
  return previous === undefined ? value : `${previous},${value}`;
}

/** The first sentence, and the value without the flag. */
function helpOf({ description, default: value, otherwise }: NamedSetting["setting"]): string {
  const [sentence = ""] = description.split(/\.(?:\s|$)/u);
  const without = value ?? otherwise?.replaceAll("`", "");
  return `${sentence.replaceAll("`", "")}${without === undefined ? "" : ` (default: ${without})`}`;
}

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
