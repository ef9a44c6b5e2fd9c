import { isSetting, type Setting, type SettingGroup } from "./setting.ts";
import { settings } from "./settings.ts";

/** A setting with the names it has in each place it can be given. */
export interface NamedSetting {
  /** Its place in the config file: `database.url`. */
  readonly name: string;
  /** `--database-url`; undefined for what must not be a flag. */
  readonly flag: string | undefined;
  /** `BOWLINE_DATABASE_URL` */
  readonly variable: string;
  /** The path of a file with the value, for secrets: the same names, with `File` at the end. */
  readonly fromFile: { readonly name: string; readonly flag: string; readonly variable: string } | undefined;
  readonly setting: Setting;
}

export const variablePrefix = "BOWLINE_";

/** All settings, in the order of the table. */
export const namedSettings: readonly NamedSetting[] = namedIn(settings, []);

/** Where the config file is: the only setting that cannot be in it. */
export const configFileSetting = {
  flag: "--config",
  variable: "BOWLINE_SERVER_CONFIG",
  description: "A YAML file with settings; docs/reference/configuration.md lists them.",
} as const;

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
    variable: variableOf(words),
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
