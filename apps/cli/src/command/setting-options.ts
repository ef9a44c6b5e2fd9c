import type { NamedSetting, SettingTable } from "@bowline/program";
import { Option, type Command } from "commander";

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
