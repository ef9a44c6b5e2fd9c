import type { NamedSetting, SettingTable } from "@bowline/program";

import { markdownTable } from "./markdown-table.ts";

/** Placeholders of types of which there is nothing to say that the description does not. */
const plainTypes: ReadonlySet<string> = new Set(["FILE", "FOLDER", "ID", "NAME", "TEXT", "TOKEN"]);

/**
 * The blocks of a program's page that are tables of its settings. With a config file, there is one for each group of it,
 * and `general` for those in no group; without, one for all.
 */
export function settingBlocks({ named, configFile }: SettingTable): Record<string, string> {
  if (configFile === undefined) {
    return {
      settings: markdownTable(
        ["Flag, variable", "Default", "What it is"],
        named.map((setting) =>
          cells(setting, "With `-file` or `_FILE` at its end: the path of a file that holds it."),
        ),
      ),
    };
  }
  const groups = Map.groupBy(named, ({ name }) =>
    name.includes(".") ? (name.split(".")[0] ?? "") : "general",
  );
  const headings = ["Setting", "Flag, variable", "Default", "What it is"];
  return Object.fromEntries(
    [...groups].map(([group, settings]) => [
      `settings: ${group}`,
      markdownTable(headings, settings.map(row)),
    ]),
  );
}

function row(setting: NamedSetting): string[] {
  const { name, fromFile } = setting;
  return [
    `\`${name}\`${fromFile === undefined ? "" : `<br>\`${fromFile.name}\``}`,
    ...cells(setting, "With `File` at its end: the path of a file that holds it."),
  ];
}

function cells({ flag, variable, fromFile, setting }: NamedSetting, ofFiles: string): string[] {
  const { type, secret } = setting;
  const names = [flag, variable, ...(fromFile === undefined ? [] : [fromFile.flag, fromFile.variable])];
  return [
    names
      .filter((each) => each !== undefined)
      .map((each) => `\`${each}\``)
      .join("<br>"),
    setting.default === undefined ? (setting.otherwise ?? "") : `\`${setting.default}\``,
    [
      setting.description,
      secret === undefined ? "" : ofFiles,
      plainTypes.has(type.placeholder) ? "" : `Must be ${type.expects}.`,
    ]
      .filter((sentence) => sentence !== "")
      .join(" "),
  ];
}
