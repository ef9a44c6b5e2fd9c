import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { BowlineError, codeOf, type Environment } from "@bowline/core";

import type { NamedSetting } from "./setting-table.ts";

/** The places that settings come from, read but not yet understood. */
export interface SettingSources {
  /** By flag, such as `--listen`; a list has commas between its items. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Environment;
  /** Undefined where the program has none, or none was named. */
  readonly file?: ConfigFile | undefined;
}

/** A config file, flattened: `database.url` → text. */
export interface ConfigFile {
  /** As the user named it. */
  readonly path: string;
  readonly values: ReadonlyMap<string, string>;
}

/** A value of a setting and where it is from, in the words of the user: `--listen`, `BOWLINE_LISTEN`, `server.yaml: listen`. */
export interface Given {
  readonly text: string;
  readonly source: string;
}

/** A mistake in a setting: together the two are a sentence. */
export interface SettingProblem {
  /** Where it was given, in the words of the user. */
  readonly source: string;
  readonly message: string;
}

/** A file that holds one secret is never as large as this. */
const maxSecretLength = 64 * 1024;

/** One error for everything that is wrong, so that nobody has to start the program once for each mistake. */
export function settingsError(problems: readonly SettingProblem[]): BowlineError {
  const [first = { source: "A setting", message: "is wrong." }] = problems;
  const sentence = `${first.source} ${first.message}`;
  const fields = problems.map(({ source, message }) => ({ path: source, message }));
  const message =
    problems.length > 1 ? `${problems.length} settings are wrong, the first: ${sentence}` : sentence;
  return new BowlineError("InvalidArgument", message, { details: { fields } });
}

/** The strongest source that has it. A secret counts as given where the path of its file is. */
export function findGiven(
  sources: SettingSources,
  named: NamedSetting,
  problems: SettingProblem[],
): Given | undefined {
  const { setting, fromFile } = named;
  const inFiles = fromFile === undefined ? [] : givenBy(sources, fromFile);
  for (const [strength, direct] of givenBy(sources, named).entries()) {
    const given = directOrInFile(named, direct, inFiles[strength], problems);
    if (given !== undefined) return given;
  }
  return setting.default === undefined ? undefined : { text: setting.default, source: "default" };
}

function directOrInFile(
  { setting }: NamedSetting,
  direct: Given | undefined,
  file: Given | undefined,
  problems: SettingProblem[],
): Given | undefined {
  if (file === undefined) return direct;
  if (setting.fileMayBeGone === true) return readSecret(file, true, problems) ?? direct;
  if (direct === undefined) return readSecret(file, false, problems);
  problems.push({
    source: direct.source,
    message: `gives the same as ${file.source}; leave one of them out.`,
  });
  return direct;
}

/** The word of each source, the strongest first. */
function givenBy(
  { flags, environment, file }: SettingSources,
  names: Pick<NamedSetting, "name" | "flag" | "variable">,
): readonly (Given | undefined)[] {
  return [
    names.flag === undefined ? undefined : given(flags[names.flag], names.flag),
    // In a compose file or a unit, a variable that is empty is one that nobody filled in.
    given(environment[names.variable] === "" ? undefined : environment[names.variable], names.variable),
    file === undefined ? undefined : given(file.values.get(names.name), `${file.path}: ${names.name}`),
  ];
}

function given(text: string | undefined, source: string): Given | undefined {
  return text === undefined ? undefined : { text, source };
}

function readSecret(
  { text: path, source }: Given,
  mayBeGone: boolean,
  problems: SettingProblem[],
): Given | undefined {
  try {
    const content = readFileSync(path, "utf8").trim();
    if (content !== "" && content.length <= maxSecretLength) return { text: content, source };
    if (content === "" && mayBeGone) return undefined;
    const state = content === "" ? "is empty" : "is too large for a secret";
    problems.push({ source, message: `names ${path}, which ${state}.` });
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    if (code === "ENOENT" && mayBeGone) return undefined;
    problems.push({ source, message: `names ${path}, which cannot be read (${code}).` });
  }
  return undefined;
}

/**
 * The folder for the data of programs, where the XDG base directory rules put it; they say that a relative path is to be
 * ignored.
 */
export function dataHome(environment: Environment): string {
  const base = environment["XDG_DATA_HOME"];
  const home = environment["HOME"] ?? homedir();
  return join(base?.startsWith("/") === true ? base : join(home, ".local", "share"), "bowline");
}
