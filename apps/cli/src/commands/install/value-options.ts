import type { InstallationValues, ServerSettings } from "@bowline/install";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { readValuesFile } from "../../manifests/read-values-file.ts";

export interface ValueFlags {
  readonly values?: readonly string[];
  readonly set?: readonly string[];
  readonly setString?: readonly string[];
}

const collect = (text: string, texts: readonly string[] = []): string[] => [...texts, text];

/** The flags by which values are given, as Helm has them. */
export function addValueFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "-f, --values <FILE>",
        "Values in YAML or JSON, or - for standard input; give it again for more, the last one is strongest",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--set <KEY=VALUE>",
        "A value, stronger than files: a.b=1,c={x,y}; may be given again",
      ).argParser(collect),
    )
    .addOption(
      new Option("--set-string <KEY=VALUE>", "The same, for a text that looks like a number").argParser(
        collect,
      ),
    );
}

export function hasValues({ values, set, setString }: ValueFlags): boolean {
  return [values, set, setString].some((given) => given !== undefined);
}

export interface ChosenValues {
  readonly values: InstallationValues;
  readonly settings: ServerSettings;
}

/** The values that the flags give, with all defaults. `InvalidArgument` for every one that is wrong. */
export async function chooseValues(context: CommandContext, flags: ValueFlags): Promise<ChosenValues> {
  const { givenValues, parseValues } = await import("@bowline/install");
  const { serverSettings: settings } = await import("@bowline/server/settings");
  const files: unknown[] = [];
  for (const path of flags.values ?? []) files.push(await readValuesFile(context, path));
  const given = givenValues({ files, set: flags.set ?? [], setString: flags.setString ?? [] });
  return { values: parseValues(given, settings), settings };
}
