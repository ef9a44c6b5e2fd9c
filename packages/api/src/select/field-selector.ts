import { BowlineError, didYouMean } from "@bowline/core";

import { parseFieldPath, schemaAt, valuesAt, type FieldPath } from "../schema/field-path.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { maxSelectorLength } from "./label-selector.ts";

/** A field that lists can be filtered by. */
export interface FilterableField extends FieldPath {
  readonly type: "string" | "boolean" | "integer";
  /** The only values it can have, where the schema names them. */
  readonly choices?: readonly string[];
  /** The value that a missing field counts as: `Unknown` for a condition nobody has set, else empty. */
  readonly absent: string;
}

/** Looks up in the schema what a filter on this field has to know; a path that is not in it is a mistake in the kind. */
export function filterableField(text: string, schema: JsonSchema): FilterableField {
  const path = parseFieldPath(text);
  const field = schemaAt(path, schema);
  const type = field?.type;
  if (type !== "string" && type !== "boolean" && type !== "integer") {
    throw new BowlineError(
      "Internal",
      `"${text}" cannot be filtered by: it is no string, boolean or integer.`,
    );
  }
  const choices = field?.enum?.map(String);
  const isCondition = path.steps.some((step) => step.step === "where");
  return {
    ...path,
    type,
    absent: isCondition ? "Unknown" : "",
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A kind, as far as selectors look at it: its name, and the fields that it can be selected by. */
interface Selectable {
  readonly kind: string;
  readonly filterable: readonly FilterableField[];
}

/**
 * One requirement of a field selector; all of them must hold. The value has been checked against the field's type.
 * A list holds a value if one of its items is it. A missing field counts as `field.absent`.
 */
export interface FieldRequirement {
  readonly field: FilterableField;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** `path=value`, `path==value` or `path!=value`; a backslash takes its meaning from a comma, an equals sign or itself. */
const requirementPattern = /^\s*([^\s=!\\]+)\s*(==|=|!=)((?:[^\\=]|\\.)*)$/su;

/** Parses `spec.provider=existing,status.conditions.Ready!=True`. Throws `InvalidArgument`. */
export function parseFieldSelector(kind: Selectable, text: string): FieldRequirement[] {
  if (text.length > maxSelectorLength) {
    throw refused(`The field selector is longer than ${maxSelectorLength} characters.`);
  }
  if (text.trim() === "") return [];
  return splitAtCommas(text).map((part) => parseRequirement(kind, part));
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === ",") {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function parseRequirement(kind: Selectable, part: string): FieldRequirement {
  const match = requirementPattern.exec(part);
  if (match === null) {
    throw refused(
      `The field selector has «${part.trim().slice(0, 64)}», which is neither field=value nor field!=value.`,
    );
  }
  const [, name = "", operator, escaped = ""] = match;
  const field = requireField(kind, name);
  const value = escaped.replaceAll(/\\(.)/gsu, "$1");
  requireValue(field, value);
  return { field, operator: operator === "!=" ? "!=" : "=", value };
}

function requireField(kind: Selectable, name: string): FilterableField {
  const field = kind.filterable.find((candidate) => candidate.text === name);
  if (field !== undefined) return field;
  const names = kind.filterable.map((candidate) => candidate.text);
  const hint = didYouMean(name, names) || `; the fields are ${names.join(", ")}.`;
  throw refused(`A ${kind.kind} cannot be selected by «${name.slice(0, 64)}»${hint}`);
}

/** The empty value is always allowed: it selects what has no such field. */
function requireValue(field: FilterableField, value: string): void {
  const { text, type } = field;
  const choices = type === "boolean" ? ["true", "false"] : field.choices;
  if (value === "") return;
  if (choices !== undefined && !choices.includes(value)) {
    throw refused(`The field ${text} is one of ${choices.join(", ")}, not «${value.slice(0, 64)}».`);
  }
  if (type === "integer" && !/^-?[0-9]{1,15}$/u.test(value)) {
    throw refused(`The field ${text} is a whole number, not «${value.slice(0, 64)}».`);
  }
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}

/** The text that `parseFieldSelector` reads back as the same requirements. */
export function printFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(
      ({ field, operator, value }) =>
        `${field.text}${operator}${value.replaceAll(/[\\,=]/gu, String.raw`\$&`)}`,
    )
    .join(",");
}

export function matchesFields(requirements: readonly FieldRequirement[], item: object): boolean {
  return requirements.every(({ field, operator, value }) => {
    const values = valuesAt(field, item).map(String);
    const holds = values.length === 0 ? value === field.absent : values.includes(value);
    return holds === (operator === "=");
  });
}
