import { isRecord } from "@bowline/core";

import { isList } from "./json-value.ts";
import type { FieldProblem } from "../store/status-errors.ts";

/** The sentences of the server's field errors. */
export function required(field: string, detail = ""): FieldProblem {
  return {
    field,
    reason: "FieldValueRequired",
    message: `Required value${detail === "" ? "" : `: ${detail}`}`,
  };
}

export function invalid(field: string, value: unknown, detail: string): FieldProblem {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${show(value)}: ${detail}` };
}

/** A reason of its own since 1.24; the sentence is that of `invalid`. */
export const typeInvalidReason = "FieldValueTypeInvalid";

export function typeInvalid(field: string, value: unknown, detail: string): FieldProblem {
  return { ...invalid(field, value, detail), reason: typeInvalidReason };
}

export function unsupported(field: string, value: unknown, values: readonly unknown[]): FieldProblem {
  const listed = values.map((item) => JSON.stringify(typeof item === "string" ? item : JSON.stringify(item)));
  return {
    field,
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${show(value)}: supported values: ${listed.join(", ")}`,
  };
}

export function duplicate(field: string, value: unknown): FieldProblem {
  return { field, reason: "FieldValueDuplicate", message: `Duplicate value: ${show(value)}` };
}

export function forbidden(field: string, detail: string): FieldProblem {
  return { field, reason: "FieldValueForbidden", message: `Forbidden: ${detail}` };
}

/** Values are printed the way Go prints them. */
function show(value: unknown): string {
  if (value === null || value === undefined) return '"null"';
  if (isList(value)) return `[]interface {}{${value.map(show).join(", ")}}`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.keys(value).toSorted();
  return `map[string]interface {}{${fields.map((name) => `${JSON.stringify(name)}:${show(value[name])}`).join(", ")}}`;
}
