import { closest, redactText } from "@bowline/core";

import {
  findGiven,
  settingsError,
  type Given,
  type SettingProblem,
  type SettingSources,
} from "./setting-sources.ts";
import { listItems } from "./setting-types.ts";
import { variablePrefix, variablesOf, type NamedSetting, type SettingTable } from "./setting-table.ts";
import { isSetting, type SettingGroup, type ValuesOf } from "./setting.ts";

/** Where the value of a setting is from, and how it may be shown. */
interface SettingOrigin {
  readonly name: string;
  /** Undefined when nobody gave it and there is no default. */
  readonly shown: string | undefined;
  /** The consequence of that. */
  readonly otherwise: string | undefined;
  /** `--listen`, `BOWLINE_LISTEN`, `server.yaml: listen`, or `default`. */
  readonly source: string;
}

/** The settings of a program, with where each is from. */
export interface SettingReport {
  /** By name, in the order of the table. */
  readonly origins: ReadonlyMap<string, SettingOrigin>;
  /** Settings that are not wrong but probably not meant. */
  readonly warnings: readonly string[];
}

export interface ResolvedSettings<G> extends SettingReport {
  readonly values: ValuesOf<G>;
}

/** Variables of the command line that are nearly settings of a program; who has set them means them. */
const ofTheCommandLine: ReadonlySet<string> = new Set(["BOWLINE_SERVER"]);

/** Flags beat the environment, which beats the config file, which beats the defaults. `InvalidArgument` names all that is wrong. */
export function resolveSettings<G extends SettingGroup>(
  table: SettingTable<G>,
  sources: SettingSources,
): ResolvedSettings<G> {
  const values = new Map<string, unknown>();
  const origins = new Map<string, SettingOrigin>();
  const problems: SettingProblem[] = [];
  for (const named of table.named) {
    const found = findGiven(sources, named, problems);
    const value = found === undefined ? undefined : named.setting.type.parse(found.text);
    if (found !== undefined && value === undefined) problems.push(wrongValue(named, found));
    values.set(named.name, value);
    origins.set(named.name, {
      name: named.name,
      shown: found === undefined ? undefined : showValue(named, found.text),
      otherwise: named.setting.otherwise,
      source: found?.source ?? "default",
    });
  }
  if (problems.length > 0) throw settingsError(problems);
  const warnings = [...passwordWarnings(table, sources), ...variableWarnings(table, sources)];
  return { values: nest(table.settings, values), origins, warnings };
}

/** The name of a setting in the words of the user: where it was given, or what the table calls it. */
export function sourceOf({ origins }: Pick<SettingReport, "origins">, name: string): string {
  return origins.get(name)?.source ?? name;
}

/** A value that a program worked out by itself is shown as it is. */
export function withShown(
  origins: SettingReport["origins"],
  name: string,
  shown: string,
): SettingReport["origins"] {
  const origin = origins.get(name);
  return origin === undefined ? origins : new Map([...origins, [name, { ...origin, shown }]]);
}

function wrongValue({ setting }: NamedSetting, { source, text }: Given): SettingProblem {
  const but = setting.secret === undefined ? `, not ${JSON.stringify(text)}` : "";
  return { source, message: `must be ${setting.type.expects}${but}.` };
}

function showValue({ setting }: NamedSetting, text: string): string {
  if (setting.secret === undefined) return setting.type.show?.(text) ?? text;
  const urls = listItems(text).map((part) => URL.parse(part));
  if (setting.secret === "whole" || urls.includes(null)) return "[Redacted]";
  return urls
    .filter((url) => url !== null)
    .map((url) => showUrl(url))
    .join(",");
}

/** A password may hold characters at which a search for it in the text would end too early. */
function showUrl(url: URL): string {
  // A user without a password is a token to NATS.
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:" && url.username !== "")
    url.username = "x";
  if (url.password !== "" || url.username === "x") url.password = "x";
  return redactText(url.href);
}

function nest<G extends SettingGroup>(settings: G, values: ReadonlyMap<string, unknown>): ValuesOf<G> {
  const read = (group: SettingGroup, prefix: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(group).map(([key, node]) => [
        key,
        isSetting(node) ? values.get(prefix + key) : read(node, `${prefix}${key}.`),
      ]),
    );
  // The walk follows the table that the type is made of.
  return read(settings, "") as ValuesOf<G>;
}

function passwordWarnings({ named }: SettingTable, { flags }: SettingSources): string[] {
  return named.flatMap(({ flag, fromFile, setting }) => {
    const text = flag === undefined ? undefined : flags[flag];
    if (setting.secret === undefined || fromFile === undefined || text === undefined) return [];
    return URL.canParse(text) && new URL(text).password !== ""
      ? [
          `Other users of this machine can read the password in ${flag}; use ${fromFile.flag} or ${fromFile.variable}.`,
        ]
      : [];
  });
}

/** Variables that are nearly those of a setting; others with this prefix may belong to the command line. */
function variableWarnings(table: SettingTable, { environment }: SettingSources): string[] {
  const known = new Set(variablesOf(table).filter((variable) => variable.startsWith(variablePrefix)));
  const endings = [...known].map((variable) => variable.slice(variablePrefix.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !known.has(name) && !ofTheCommandLine.has(name))
    .flatMap((name) => {
      const meant = closest(name.slice(variablePrefix.length), endings);
      return meant === undefined ? [] : [`${name} is no setting; did you mean ${variablePrefix}${meant}?`];
    });
}
