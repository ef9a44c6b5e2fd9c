import { isRecord } from "@bowline/core";

import type { FieldProblem } from "../../store/status-errors.ts";
import type { NameRule } from "../../store/name-rules.ts";
import { invalid, required } from "../field-problem.ts";
import { isList, type JsonObject } from "../json-value.ts";

export type Problems = Generator<FieldProblem>;

/** What a type demands beyond what its schema can say. `path` ends in a dot, ready for a field's name. */
export type Rule = (object: JsonObject, path: string) => Problems;

/** A demand on one field. A field that is not there is asked for only by `needed`. */
export type Check = (value: unknown, path: string) => Problems;

/** A rule made of checks on single fields. */
export function fields(checks: Readonly<Record<string, readonly Check[]>>): Rule {
  return function* (object, path) {
    for (const [name, list] of Object.entries(checks)) {
      for (const check of list) yield* check(object[name], `${path}${name}`);
    }
  };
}

export function all(...rules: readonly Rule[]): Rule {
  return function* (object, path) {
    for (const rule of rules) yield* rule(object, path);
  };
}

/** There must be something: no empty text, no empty list. */
export function needed(detail = ""): Check {
  return function* (value, path) {
    const isEmpty =
      value === undefined || value === null || value === "" || (isList(value) && value.length === 0);
    if (isEmpty) yield required(path, detail);
  };
}

export function atLeast(minimum: number, detail = `must be greater than or equal to ${minimum}`): Check {
  return function* (value, path) {
    if (typeof value === "number" && value < minimum) yield invalid(path, value, detail);
  };
}

export function between(minimum: number, maximum: number): Check {
  return function* (value, path) {
    if (typeof value !== "number" || (value >= minimum && value <= maximum)) return;
    yield invalid(path, value, `must be between ${minimum} and ${maximum}, inclusive`);
  };
}

export const portNumber: Check = between(1, 65535);

/** A port by number or by the name of one. */
export const portOrName: Check = function* (value, path) {
  if (typeof value === "string") yield* portName(value, path);
  else yield* portNumber(value, path);
};

export const portName: Check = function* (value, path) {
  if (typeof value !== "string" || value === "") return;
  if (value.length > 15) yield invalid(path, value, "must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(value)) {
    yield invalid(path, value, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  } else if (!/[a-z]/.test(value)) {
    yield invalid(path, value, "must contain at least one letter or number (a-z, 0-9)");
  }
};

export function named(rule: NameRule): Check {
  return function* (value, path) {
    if (typeof value !== "string" || value === "") return;
    for (const why of rule(value)) yield invalid(path, value, why);
  };
}

/** The objects of a list with their paths, which end in a dot. */
export function* items(object: JsonObject, name: string, path: string): Generator<[JsonObject, string]> {
  const list = object[name];
  if (!isList(list)) return;
  for (const [index, item] of list.entries()) {
    if (isRecord(item)) yield [item, `${path}${name}[${index}].`];
  }
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Labels as Go prints them. */
export function showLabels(labels: unknown): string {
  if (!isRecord(labels)) return "map[string]string(nil)";
  const pairs = Object.keys(labels)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(labels[key])}`);
  return `map[string]string{${pairs.join(", ")}}`;
}

/** An invalid value that is printed in a form of its own. */
export function invalidShown(field: string, shown: string, detail: string): FieldProblem {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${shown}: ${detail}` };
}
