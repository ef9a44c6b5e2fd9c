import { didYouMean } from "@bowline/core";

import type { JsonSchema } from "../schema/json-schema.ts";
import { stringCheck } from "./read-string.ts";
import { isRefusedKey, wrongType, type Reader } from "./reader.ts";
import type { Report } from "./report.ts";

interface Field {
  readonly name: string;
  readonly read: Reader;
  /** Belongs to the server: it may be there, and nobody looks at it. */
  readonly ignored: boolean;
  readonly required: boolean;
  readonly default: unknown;
}

export function objectReader(schema: JsonSchema, compile: (schema: JsonSchema) => Reader): Reader {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]): Field => ({
    name,
    read: compile(property),
    ignored: property.readOnly === true,
    required: required.has(name),
    default: property.default,
  }));
  const names = new Set(fields.map((field) => field.name));
  const checkCount = countCheck(schema, [...names]);
  return (value, report) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      report.add(wrongType("an object", value));
      return undefined;
    }
    const given: Readonly<Record<string, unknown>> = value as Readonly<Record<string, unknown>>;
    const copy: Record<string, unknown> = {};
    let known = 0;
    for (const field of fields) {
      if (Object.hasOwn(given, field.name)) known += 1;
      if (!field.ignored) readField(field, given, copy, report);
    }
    const keys = Object.keys(given);
    if (keys.length !== known) reportUnknown(keys, names, report);
    checkCount?.(copy, report);
    return copy;
  };
}

/** Nothing behind a key, as YAML writes it (`labels:`), is the same as no key. */
function readField(
  field: Field,
  given: Readonly<Record<string, unknown>>,
  copy: Record<string, unknown>,
  report: Report,
): void {
  const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
  const chosen = value ?? field.default;
  if (chosen === undefined || chosen === null) {
    if (field.required) report.addAt(field.name, "is required");
    return;
  }
  report.path.push(field.name);
  copy[field.name] = field.read(chosen, report);
  report.path.pop();
}

function reportUnknown(keys: readonly string[], names: ReadonlySet<string>, report: Report): void {
  for (const key of keys) {
    if (report.full) return;
    if (names.has(key)) continue;
    if (isRefusedKey(key)) report.addAt(key, "is not allowed as a key");
    else report.addAt(key, `is an unknown field${didYouMean(key, names)}`);
  }
}

type CountCheck = (copy: Readonly<Record<string, unknown>>, report: Report) => void;

function countCheck(schema: JsonSchema, names: readonly string[]): CountCheck | undefined {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  if (minProperties === 0 && maxProperties >= names.length) return undefined;
  const exactlyOne = minProperties === 1 && maxProperties === 1;
  const expected = exactlyOne
    ? "exactly one"
    : minProperties > 0
      ? `at least ${minProperties}`
      : `at most ${maxProperties}`;
  return (copy, report) => {
    const count = Object.keys(copy).length;
    if (count < minProperties || count > maxProperties)
      report.add(`must have ${expected} of ${names.join(", ")}`);
  };
}

export function mapReader(schema: JsonSchema, readValue: Reader): Reader {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const checkKey = stringCheck(schema.propertyNames ?? {});
  return (value, report) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      report.add(wrongType("an object", value));
      return undefined;
    }
    const entries = Object.entries(value);
    if (entries.length > maxProperties) {
      report.add(`must have at most ${maxProperties} ${maxProperties === 1 ? "key" : "keys"}`);
      return undefined;
    }
    if (entries.length < minProperties)
      report.add(minProperties === 1 ? "must not be empty" : `must have at least ${minProperties} keys`);
    const copy: Record<string, unknown> = {};
    for (const [key, item] of entries) {
      if (report.full) break;
      report.path.push(key);
      const problem = checkKey(key);
      if (isRefusedKey(key)) report.add("is not allowed as a key");
      else if (problem !== undefined) report.add(`is not a valid key: it ${problem}`);
      else copy[key] = readValue(item, report);
      report.path.pop();
    }
    return copy;
  };
}
