import { closest } from "@bowline/core";
import { LineCounter, parseDocument } from "yaml";

import { namedSettings } from "./named-settings.ts";
import { settingsError, type SettingProblem } from "./setting-problem.ts";
import { listText } from "./setting-types.ts";
import type { ConfigFile } from "./setting-sources.ts";

const knownNames: ReadonlySet<string> = new Set(
  namedSettings.flatMap(({ name, fromFile }) => (fromFile === undefined ? [name] : [name, fromFile.name])),
);
const groupNames: ReadonlySet<string> = new Set(
  [...knownNames].filter((name) => name.includes(".")).map((name) => name.slice(0, name.lastIndexOf("."))),
);

/** Reads the text of a config file. `InvalidArgument` names everything in it that is not a setting. */
export function parseConfigFile(path: string, content: string): ConfigFile {
  const values = new Map<string, string>();
  const problems: SettingProblem[] = [];
  const refuse = (name: string, message: string): void =>
    void problems.push({ source: name === "" ? path : `${path}: ${name}`, message });
  const visit = (node: unknown, name: string): void => {
    if (knownNames.has(name)) {
      const text = textOf(node);
      if (text === undefined) refuse(name, "must be a single value or a list of them.");
      else values.set(name, text);
    } else if (name === "" || groupNames.has(name)) {
      if (isGroup(node)) {
        for (const [key, child] of Object.entries(node)) visit(child, name === "" ? key : `${name}.${key}`);
      } else if (node !== null) {
        refuse(name, "must be a group of settings.");
      }
    } else {
      refuse(name, `is no setting${suggestion(name)}`);
    }
  };
  visit(parseYaml(path, content), "");
  if (problems.length > 0) throw settingsError(problems);
  return { path, values };
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

function suggestion(name: string): string {
  const meant = closest(name, [...knownNames, ...groupNames]);
  return meant === undefined
    ? "; docs/reference/configuration.md lists all of them."
    : `; did you mean ${meant}?`;
}
