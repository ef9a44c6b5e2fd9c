import { isSetting, type Setting, type SettingGroup } from "./setting.ts";

/** A setting with the names it has in each place it can be given. */
export interface NamedSetting {
  /** Its place in the table and in the config file: `database.url`. */
  readonly name: string;
  /** `--database-url`; undefined for what must not be a flag. */
  readonly flag: string | undefined;
  /** `BOWLINE_DATABASE_URL` */
  readonly variable: string;
  /** The path of a file with the value, for secrets: the same names, with `File` at the end. */
  readonly fromFile: { readonly name: string; readonly flag: string; readonly variable: string } | undefined;
  readonly setting: Setting;
}

/** The setting that names the config file: the only one that cannot be in it. */
interface ConfigFileSetting {
  readonly flag: string;
  readonly variable: string;
  readonly description: string;
}

export interface SettingTableOptions {
  /** Without it, the program has no config file. */
  readonly configFile?: ConfigFileSetting;
  /** The page of the reference that lists the settings. */
  readonly page: string;
  /** Titles of groups for the help: `database` → `Database`. */
  readonly groupTitles?: Readonly<Record<string, string>>;
}

/** All settings of a program, with everything that follows from them. */
export interface SettingTable<G extends SettingGroup = SettingGroup> extends SettingTableOptions {
  readonly settings: G;
  /** In the order of the table. */
  readonly named: readonly NamedSetting[];
}

export const variablePrefix = "BOWLINE_";

/**
 * Makes the table of a program's settings. The place of a setting gives its flag and its variable: `database.url` is
 * `--database-url` and `BOWLINE_DATABASE_URL`.
 */
export function settingTable<const G extends SettingGroup>(
  settings: G,
  options: SettingTableOptions,
): SettingTable<G> {
  return { ...options, settings, named: namedIn(settings, []) };
}

/** The names of all variables that give a setting. */
export function variablesOf({ named }: Pick<SettingTable, "named">): readonly string[] {
  return named.flatMap(({ variable, fromFile }) =>
    fromFile === undefined ? [variable] : [variable, fromFile.variable],
  );
}

function namedIn(group: SettingGroup, parents: readonly string[]): NamedSetting[] {
  return Object.entries(group).flatMap(([key, node]) =>
    isSetting(node) ? [named(node, [...parents, key])] : namedIn(node, [...parents, key]),
  );
}

function named(setting: Setting, path: readonly string[]): NamedSetting {
  const name = path.join(".");
  const words = setting.flag ?? kebab(path);
  return {
    name,
    flag: setting.secret === "whole" ? undefined : `--${words}`,
    variable: setting.variable ?? variableOf(words),
    fromFile:
      setting.secret === undefined
        ? undefined
        : { name: `${name}File`, flag: `--${words}-file`, variable: variableOf(`${words}-file`) },
    setting,
  };
}

function kebab(path: readonly string[]): string {
  return path.join("-").replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

function variableOf(words: string): string {
  return `${variablePrefix}${words.replaceAll("-", "_").toUpperCase()}`;
}
