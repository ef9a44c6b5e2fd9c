import type { NamedSetting } from "@bowline/server/settings";

import { markdownTable } from "./markdown-table.ts";

/** Of which there is nothing to say that the description does not. */
const plainTypes: ReadonlySet<string> = new Set(["FILE", "TEXT"]);

/** Settings as a table in Markdown. */
export function settingsTable(settings: readonly NamedSetting[]): string {
  return markdownTable(["Setting", "Flag, variable", "Default", "What it is"], settings.map(row));
}

function row({ name, flag, variable, fromFile, setting }: NamedSetting): string[] {
  const { type, secret } = setting;
  const names = [flag, variable, ...(fromFile === undefined ? [] : [fromFile.flag, fromFile.variable])];
  return [
    `\`${name}\`${fromFile === undefined ? "" : `<br>\`${fromFile.name}\``}`,
    names
      .filter((each) => each !== undefined)
      .map((each) => `\`${each}\``)
      .join("<br>"),
    setting.default === undefined ? (setting.otherwise ?? "") : `\`${setting.default}\``,
    [
      setting.description,
      secret === undefined ? "" : "With `File` at its end: the path of a file that holds it.",
      plainTypes.has(type.placeholder) ? "" : `Must be ${type.expects}.`,
    ]
      .filter((sentence) => sentence !== "")
      .join(" "),
  ];
}

/** The settings of each group of the config file; those in no group are `general`. */
export function settingGroups(
  settings: readonly NamedSetting[],
): ReadonlyMap<string, readonly NamedSetting[]> {
  return Map.groupBy(settings, ({ name }) => (name.includes(".") ? (name.split(".")[0] ?? "") : "general"));
}
