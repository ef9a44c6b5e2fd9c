import type { JsonSchema } from "../schema/json-schema.ts";
import { wrongType, type Reader } from "./reader.ts";

/** Says what is wrong with a string, or undefined: also used for the keys of maps. */
export type StringCheck = (value: string) => string | undefined;

/**
 * Lengths come before the pattern, so that no pattern ever runs on a long string. NUL cannot be stored in PostgreSQL,
 * and half of a surrogate pair has no UTF-8: both are refused here and not by whatever comes later.
 */
export function stringCheck(schema: JsonSchema): StringCheck {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = schema;
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, "u");
  const expects = schema["x-bowline-expects"] ?? `text that matches ${schema.pattern}`;
  return (value) => {
    if (value.length > maxLength && isLongerThan(value, maxLength)) {
      return `must be at most ${characters(maxLength)} long`;
    }
    if (value.length < minLength) {
      return minLength === 1 ? "must not be empty" : `must be at least ${characters(minLength)} long`;
    }
    if (pattern !== undefined && !pattern.test(value)) return `must be ${expects}`;
    if (value.includes("\0")) return "must not contain NUL characters";
    if (!value.isWellFormed()) return "must be valid Unicode";
    if (format === "date-time" && !isDateTime(value)) return "must be a time such as 2026-01-31T12:00:00Z";
    return undefined;
  };
}

export function stringReader(schema: JsonSchema): Reader {
  const check = stringCheck(schema);
  return (value, report) => {
    if (typeof value !== "string") {
      report.add(wrongType("a string", value));
      return undefined;
    }
    const problem = check(value);
    if (problem !== undefined) report.add(problem);
    return value;
  };
}

/** JSON Schema counts characters, JavaScript halves of surrogate pairs; they differ only for long strings at the limit. */
function isLongerThan(value: string, maxLength: number): boolean {
  if (value.length > maxLength * 2) return true;
  let characters = 0;
  for (const _ of value) characters += 1;
  return characters > maxLength;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A time as RFC 3339 writes it, on a day that exists. */
export function isDateTime(text: string): boolean {
  const match = pattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(0);
  // Unlike Date.UTC, this takes the years before 100 as they are.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
