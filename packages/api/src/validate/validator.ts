import { BowlineError } from "@bowline/core";
import type { Static, TSchema } from "typebox";

import type { JsonSchema } from "../schema/json-schema.ts";
import { readAnything } from "./read-anything.ts";
import { arrayReader } from "./read-array.ts";
import { mapReader, objectReader } from "./read-object.ts";
import { booleanReader, choiceReader, intOrStringReader, numberReader } from "./read-scalar.ts";
import { stringReader } from "./read-string.ts";
import type { Reader } from "./reader.ts";
import { Report, type Problem } from "./report.ts";

export type Validated<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Makes a function that checks values of one schema: it returns a copy with defaults applied, or everything that is
 * wrong. It never throws and never changes what it was given.
 */
export function createValidator<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => Validated<Static<Schema>> {
  const read = compileReader(schema);
  return (value) => {
    const report = new Report();
    const copy = read(value, report);
    if (report.problems.length > 0) return { ok: false, problems: report.problems };
    // The reader was made from this very schema, which TypeScript cannot see.
    return { ok: true, value: copy as Static<Schema> };
  };
}

const readers = new WeakMap<JsonSchema, Reader>();

/** Compiling costs a hundred times what reading does, so it happens once for each schema, when it is first needed. */
export function readerOf(schema: JsonSchema): Reader {
  const known = readers.get(schema);
  if (known !== undefined) return known;
  const reader = compileReader(schema);
  readers.set(schema, reader);
  return reader;
}

/**
 * Turns a schema into a tree of closures, once. One pass then does everything: a separate check would have to walk the
 * value again to copy it and to fill in defaults, and would say only that something is wrong.
 */
function compileReader(schema: JsonSchema): Reader {
  if (schema.anyOf !== undefined || schema.type === "null") {
    throw new BowlineError(
      "Internal",
      "A schema with anyOf or null cannot be read; say it with exactlyOneOf, choice or intOrString.",
    );
  }
  if (schema["x-kubernetes-int-or-string"] === true) return intOrStringReader(schema);
  if (schema.const !== undefined) return choiceReader([schema.const]);
  if (schema.enum !== undefined) return choiceReader(schema.enum);
  switch (schema.type) {
    case "string":
      return stringReader(schema);
    case "integer":
    case "number":
      return numberReader(schema);
    case "boolean":
      return booleanReader();
    case "array":
      return arrayReader(schema, compileReader(schema.items ?? {}));
    case "object":
      return typeof schema.additionalProperties === "object"
        ? mapReader(schema, compileReader(schema.additionalProperties))
        : objectReader(schema, compileReader);
    case undefined:
    default:
      return readAnything;
  }
}

export interface DepthLimits {
  readonly maxDepth?: number;
  /** How many values, counting those inside of objects and arrays. */
  readonly maxValues?: number;
}

/**
 * Refuses what is nested deeper or holds more values than any object of the API needs, before anything recurses into
 * it. Walks level by level, without recursion of its own, so that depth costs no stack.
 */
export function checkDepth(value: unknown, limits: DepthLimits = {}): Problem | undefined {
  const { maxDepth = 32, maxValues = 100_000 } = limits;
  let level = nested(value);
  let values = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return { path: "", message: `must not be nested deeper than ${maxDepth} levels` };
    const next: object[] = [];
    for (const parent of level) {
      const children: readonly unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      values += children.length;
      if (values > maxValues) return { path: "", message: `must not hold more than ${maxValues} values` };
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}

function nested(value: unknown): object[] {
  return typeof value === "object" && value !== null ? [value] : [];
}
