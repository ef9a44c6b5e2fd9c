import type { Report } from "./report.ts";

/**
 * Checks a value and returns a copy of it with defaults applied and its fields in the order of the schema. What is wrong
 * goes to the report; the copy is then of no use.
 */
export type Reader = (value: unknown, report: Report) => unknown;

/** Keys that reach an object's prototype in code that copies carelessly, here or in any program that reads our answers. */
const refused: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export function isRefusedKey(key: string): boolean {
  return refused.has(key);
}

const names: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
};

/** The type of a value, in the words of somebody who writes YAML. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return names[typeof value] ?? "something that JSON cannot hold";
}

export function wrongType(expected: string, value: unknown): string {
  return `must be ${expected}, not ${typeName(value)}`;
}
