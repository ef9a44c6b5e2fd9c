import { readFileSync } from "node:fs";

import { codeOf, redactText } from "@bowline/core";

import { isSetting, type SettingGroup } from "./setting.ts";
import { namedSettings, type NamedSetting } from "./named-settings.ts";
import { settingsError, type SettingProblem } from "./setting-problem.ts";
import { givenBy, type Given, type SettingSources } from "./setting-sources.ts";
import { settings, type SettingValues } from "./settings.ts";

/** Where the value of a setting is from, and how it may be shown. */
export interface SettingOrigin {
  readonly name: string;
  /** Undefined when nobody gave it and there is no default. */
  readonly shown: string | undefined;
  /** What happens then. */
  readonly otherwise: string | undefined;
  /** `--listen`, `BOWLINE_LISTEN`, `server.yaml: listen`, or `default`. */
  readonly source: string;
}

export interface ResolvedSettings {
  readonly values: SettingValues;
  readonly origins: ReadonlyMap<string, SettingOrigin>;
}

/** A file that holds one secret is never as large as this. */
const maxSecretLength = 64 * 1024;

/** Flags beat the environment, which beats the config file, which beats the defaults. `InvalidArgument` names all that is wrong. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const values = new Map<string, unknown>();
  const origins = new Map<string, SettingOrigin>();
  const problems: SettingProblem[] = [];
  for (const named of namedSettings) {
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
  return { values: nest(values), origins };
}

/** The strongest source that has it. A secret counts as given where the path of its file is. */
function findGiven(
  sources: SettingSources,
  named: NamedSetting,
  problems: SettingProblem[],
): Given | undefined {
  const direct = givenBy(sources, named);
  const byFile = named.fromFile === undefined ? [] : givenBy(sources, named.fromFile);
  for (const [strength, value] of direct.entries()) {
    const file = byFile[strength];
    if (value !== undefined && file !== undefined) {
      const message = `gives the same as ${file.source}; leave one of them out.`;
      problems.push({ source: value.source, message });
    }
    if (value !== undefined) return value;
    if (file !== undefined) return readSecret(file, problems);
  }
  return named.setting.default === undefined ? undefined : { text: named.setting.default, source: "default" };
}

function readSecret({ text: path, source }: Given, problems: SettingProblem[]): Given | undefined {
  try {
    const content = readFileSync(path, "utf8").trim();
    if (content !== "" && content.length <= maxSecretLength) return { text: content, source };
    const state = content === "" ? "is empty" : "is too large for a secret";
    problems.push({ source, message: `names ${path}, which ${state}.` });
  } catch (error) {
    problems.push({ source, message: `names ${path}, which cannot be read (${reasonOf(error)}).` });
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? String(error);
}

function wrongValue({ setting }: NamedSetting, { source, text }: Given): SettingProblem {
  const but = setting.secret === undefined ? `, not ${JSON.stringify(text)}` : "";
  return { source, message: `must be ${setting.type.expects}${but}.` };
}

function showValue({ setting }: NamedSetting, text: string): string {
  if (setting.secret === undefined) return text;
  const urls = text.split(",").map((part) => URL.parse(part.trim()));
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

function nest(values: ReadonlyMap<string, unknown>): SettingValues {
  const read = (group: SettingGroup, prefix: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(group).map(([key, node]) => [
        key,
        isSetting(node) ? values.get(prefix + key) : read(node, `${prefix}${key}.`),
      ]),
    );
  // The walk follows the table that the type is made of.
  return read(settings, "") as SettingValues;
}
