import { isRecord } from "@bowline/core";

import type { FieldProblem } from "../store/status-errors.ts";
import { type BoundedPattern, compilePattern } from "./bounded-pattern.ts";
import { duplicate, invalid, required, typeInvalid, unsupported } from "./field-problem.ts";
import type { JsonSchema } from "./json-schema.ts";
import { deepEqual, isList, jsonTypeOf, type JsonObject } from "./json-value.ts";
import { hasFormat } from "./string-formats.ts";

type Problems = Generator<FieldProblem>;

/** Checks a custom object against its schema, in the words of the real server. */
export function validateCustomObject(object: JsonObject, schema: JsonSchema): FieldProblem[] {
  return [...validateValue(object, schema, ""), ...validateLists(object, schema, "")];
}

/** Checks one value. */
export function* validateValue(value: unknown, schema: JsonSchema, path: string): Problems {
  if (value === null) {
    if (schema.nullable || schema.type === undefined) return;
    yield typeProblem(path, schema, "null");
    return;
  }
  const type = jsonTypeOf(value);
  if (!fitsType(type, schema)) {
    yield typeProblem(path, schema, type);
    return;
  }
  yield* validateCombinations(value, schema, path);
  if (typeof value === "string") yield* validateText(value, schema, path);
  if (typeof value === "number") yield* validateNumber(value, schema, path);
  if (isList(value)) yield* validateItems(value, schema, path);
  if (schema.enum !== undefined && !schema.enum.some((allowed) => deepEqual(allowed, value))) {
    yield unsupported(path, value, schema.enum);
  }
  if (isRecord(value)) yield* validateFields(value, schema, path);
}

function fitsType(type: string, schema: JsonSchema): boolean {
  if (schema.intOrString) return type === "integer" || type === "string";
  return (
    schema.type === undefined || type === schema.type || (type === "integer" && schema.type === "number")
  );
}

function typeProblem(path: string, schema: JsonSchema, given: string): FieldProblem {
  const wanted = schema.intOrString ? "integer,string" : schema.type;
  return typeInvalid(path, given, `${path} in body must be of type ${wanted}: "${given}"`);
}

function* validateText(value: string, { limits, format, pattern }: JsonSchema, path: string): Problems {
  const length = Array.from(value).length;
  // The server stops at the first of these three.
  if (limits.maxLength !== undefined && length > limits.maxLength) {
    yield invalid(path, value, `${path} in body should be at most ${limits.maxLength} chars long`);
  } else if (limits.minLength !== undefined && length < limits.minLength) {
    yield invalid(path, value, `${path} in body should be at least ${limits.minLength} chars long`);
  } else if (pattern !== undefined && !matches(value, pattern)) {
    yield invalid(path, value, `${path} in body should match '${pattern}'`);
  }
  if (format !== undefined && !hasFormat(value, format)) {
    yield typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`);
  }
}

const patterns = new Map<string, BoundedPattern | undefined>();

/** There are as many patterns as schemas name; the limit only guards against schemas that come and go for ever. */
function matches(value: string, pattern: string): boolean {
  if (patterns.size > 10_000) patterns.clear();
  if (!patterns.has(pattern)) patterns.set(pattern, compilePattern(pattern));
  return patterns.get(pattern)?.test(value) ?? true;
}

function* validateNumber(value: number, { limits }: JsonSchema, path: string): Problems {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  if (multipleOf !== undefined && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    yield invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    yield invalid(
      path,
      value,
      `${path} in body should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`,
    );
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    yield invalid(
      path,
      value,
      `${path} in body should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`,
    );
  }
}

function* validateItems(value: readonly unknown[], { items, limits }: JsonSchema, path: string): Problems {
  if (items !== undefined) {
    for (const [index, item] of value.entries()) yield* validateValue(item, items, `${path}[${index}]`);
  }
  if (limits.minItems !== undefined && value.length < limits.minItems) {
    yield invalid(path, value.length, `${path} in body should have at least ${limits.minItems} items`);
  }
  if (limits.maxItems !== undefined && value.length > limits.maxItems) {
    yield invalid(path, value.length, `${path} in body should have at most ${limits.maxItems} items`);
  }
}

function* validateFields(value: JsonObject, schema: JsonSchema, path: string): Problems {
  const { minProperties, maxProperties } = schema.limits;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    yield invalid(path, minProperties, `${path} in body should have at least ${minProperties} properties`);
    return;
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    yield invalid(path, maxProperties, `${path} in body should have at most ${maxProperties} properties`);
    return;
  }
  for (const [name, child] of Object.entries(value)) {
    const known = schema.properties.get(name) ?? schema.additional;
    if (typeof known === "object") yield* validateValue(child, known, childPath(path, name));
    else if (known === false)
      yield invalid(path, "", `${childPath(path, name)} in body is a forbidden property`);
  }
  for (const name of schema.required) {
    if (!Object.hasOwn(value, name)) yield required(childPath(path, name));
  }
  if (schema.embeddedResource) yield* validateEmbedded(value, path);
}

function* validateEmbedded(value: JsonObject, path: string): Problems {
  for (const name of ["apiVersion", "kind"]) {
    if (value[name] === undefined || value[name] === "")
      yield required(childPath(path, name), "must not be empty");
  }
}

function* validateCombinations(value: unknown, schema: JsonSchema, path: string): Problems {
  const problemsOf = (option: JsonSchema): FieldProblem[] => [...validateValue(value, option, path)];
  if (schema.anyOf.length > 0) {
    const failures = schema.anyOf.map(problemsOf);
    if (failures.every((problems) => problems.length > 0)) {
      yield combination(path, "must validate at least one schema (anyOf)");
      yield* fewest(failures);
    }
  }
  if (schema.oneOf.length > 0) {
    const failures = schema.oneOf.map(problemsOf);
    const valid = failures.filter((problems) => problems.length === 0).length;
    if (valid !== 1) {
      const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
      yield combination(path, `must validate one and only one schema (oneOf). ${found}`);
      if (valid === 0) yield* fewest(failures);
    }
  }
  if (schema.allOf.length > 0) {
    const failures = schema.allOf.map(problemsOf);
    yield* failures.flat();
    const valid = failures.filter((problems) => problems.length === 0).length;
    if (valid < failures.length) {
      yield combination(
        path,
        `must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`,
      );
    }
  }
  if (schema.not !== undefined && problemsOf(schema.not).length === 0) {
    yield combination(path, "must not validate the schema (not)");
  }
}

function combination(path: string, sentence: string): FieldProblem {
  return invalid("<nil>", "", `"${path}" ${sentence}`);
}

function fewest(failures: readonly FieldProblem[][]): FieldProblem[] {
  return failures.reduce(
    (best, problems) => (problems.length < best.length ? problems : best),
    failures[0] ?? [],
  );
}

/** Lists that are sets or maps must not name the same thing twice. */
function* validateLists(value: unknown, schema: JsonSchema, path: string): Problems {
  if (isRecord(value)) {
    for (const [name, child] of Object.entries(value)) {
      const known = schema.properties.get(name) ?? schema.additional;
      if (typeof known === "object") yield* validateLists(child, known, childPath(path, name));
    }
  }
  if (!isList(value)) return;
  const seen = new Set<string>();
  for (const [index, key] of identities(value, schema).entries()) {
    if (seen.has(key)) yield duplicate(`${path}[${index}]`, JSON.parse(key));
    seen.add(key);
  }
  if (schema.items === undefined) return;
  for (const [index, item] of value.entries()) yield* validateLists(item, schema.items, `${path}[${index}]`);
}

function identities(items: readonly unknown[], { listType, listMapKeys }: JsonSchema): string[] {
  if (listType === "set") return items.map((item) => JSON.stringify(item));
  if (listType !== "map") return [];
  return items.map((item) =>
    JSON.stringify(isRecord(item) ? Object.fromEntries(listMapKeys.map((key) => [key, item[key]])) : item),
  );
}

function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
