import { readFileSync } from "node:fs";

import { BowlineError, closest } from "@bowline/core";
import { LineCounter, parseDocument } from "yaml";

import {
  settingsError,
  type ConfigFile,
  type SettingProblem,
  type SettingSources,
} from "./setting-sources.ts";
import type { SettingTable } from "./setting-table.ts";
import { listText } from "./setting-types.ts";

/**
 * Reads the config file that a flag or a variable names, if one does. `InvalidArgument` when it cannot be read, or names
 * everything in it that is not a setting.
 */
export function readConfigFile(
  table: SettingTable,
  { flags, environment }: Pick<SettingSources, "flags" | "environment">,
): ConfigFile | undefined {
  if (table.configFile === undefined) return undefined;
  const { flag, variable } = table.configFile;
  const path = flags[flag] ?? environment[variable];
  if (path === undefined || path === "") return undefined;
  try {
    return parseConfigFile(table, path, readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    const source = flags[flag] === undefined ? variable : flag;
    const reason = error instanceof Error ? error.message : String(error);
    throw settingsError([{ source, message: `names ${path}, which cannot be read (${reason}).` }]);
  }
}

function parseConfigFile(table: SettingTable, path: string, content: string): ConfigFile {
  const names = namesOf(table);
  const values = new Map<string, string>();
  const problems: SettingProblem[] = [];
  const refuse = (name: string, message: string): void =>
    void problems.push({ source: name === "" ? path : `${path}: ${name}`, message });
  const visit = (node: unknown, name: string): void => {
    if (names.settings.has(name)) {
      const text = textOf(node);
      if (text === undefined) refuse(name, "must be a single value or a list of them.");
      else values.set(name, text);
    } else if (name === "" || names.groups.has(name)) {
      if (isGroup(node)) {
        for (const [key, child] of Object.entries(node)) visit(child, name === "" ? key : `${name}.${key}`);
      } else if (node !== null) {
        refuse(name, "must be a group of settings.");
      }
    } else {
      const meant = closest(name, [...names.settings, ...names.groups]);
      refuse(
        name,
        `is no setting; ${meant === undefined ? `${table.page} lists all of them.` : `did you mean ${meant}?`}`,
      );
    }
  };
  visit(parseYaml(path, content), "");
  if (problems.length > 0) throw settingsError(problems);
  return { path, values };
}

function namesOf({ named }: SettingTable): { settings: ReadonlySet<string>; groups: ReadonlySet<string> } {
  const settings = named.flatMap(({ name, fromFile }) =>
    fromFile === undefined ? [name] : [name, fromFile.name],
  );
  const groups = settings
    .filter((name) => name.includes("."))
    .map((name) => name.slice(0, name.lastIndexOf(".")));
  return { settings: new Set(settings), groups: new Set(groups) };
}

function parseYaml(path: string, content: string): unknown {
  const lines = new LineCounter();
  // A settings file has no use for aliases, and a few of them can stand for gigabytes.
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw settingsError([
      { source: path, message: `is not YAML at line ${line}, column ${col}: ${error.message}.` },
    ]);
  }
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw settingsError([
      { source: path, message: "must not have anchors and aliases; write each value out." },
    ]);
  }
}

function isGroup(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}

function textOf(node: unknown): string | undefined {
  if (Array.isArray(node)) {
    const items = node.map(scalarText);
    return items.length > 0 && items.every((item) => item !== undefined) ? listText(items) : undefined;
  }
  return scalarText(node);
}

function scalarText(node: unknown): string | undefined {
  return typeof node === "string" || typeof node === "number" || typeof node === "boolean"
    ? String(node)
    : undefined;
}
