import { isRecord } from "@bowline/core";

import { isList, type JsonObject } from "../schema/json-value.ts";
import type { ListNode, ScalarNode, SchemaNode } from "../schema/schema-node.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { fieldElement, fieldOf, itemElement, printPath } from "./path-element.ts";

type Path = readonly string[];

/** Server-side apply takes no field on trust: each must be in the schema, of its type, and lists without doubles. */
export function checkApplied(applied: JsonObject, schema: SchemaNode): void {
  const problems = [...problemsOf(applied, schema, [])];
  const [first] = problems;
  if (first === undefined) return;
  const list =
    problems.length === 1 ? first : ["errors:", ...problems.map((problem) => `  ${problem}`)].join("\n");
  throw new SimStatusError({ code: 500, message: `failed to create typed patch object: ${list}` });
}

function* problemsOf(value: unknown, schema: SchemaNode, path: Path): Generator<string> {
  if (value === null || value === undefined) return;
  switch (schema.kind) {
    case "any":
      return;
    case "scalar":
      yield* problemOfScalar(value, schema, path);
      return;
    case "list":
      if (isList(value)) yield* problemsOfItems(value, schema, path);
      else yield problem(path, `expected list, got ${show(value)}`);
      return;
    case "object":
    case "map":
      if (isRecord(value)) yield* problemsOfFields(value, schema, path);
      else yield problem(path, `expected map, got ${show(value)}`);
  }
}

function* problemsOfFields(value: JsonObject, schema: SchemaNode, path: Path): Generator<string> {
  for (const [name, child] of Object.entries(value)) {
    const known = fieldOf(schema, name);
    const childPath = [...path, fieldElement(name)];
    if (known === undefined) yield problem(childPath, "field not declared in schema");
    else yield* problemsOf(child, known.node, childPath);
  }
}

function* problemsOfItems(items: readonly unknown[], schema: ListNode, path: Path): Generator<string> {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = schema.listType === "atomic" ? `i:${index}` : itemElement(schema, item);
    if (element === undefined) {
      yield problem(path, `element ${index}: ${whyNoElement(item, schema)}`);
      continue;
    }
    if (seen.has(element)) yield problem(path, `duplicate entries for key ${printPath([element])}`);
    seen.add(element);
    yield* problemsOf(item, schema.items, [...path, element]);
  }
}

function whyNoElement(item: unknown, { listType, keys, items }: ListNode): string {
  if (listType === "set") return "associative list without keys has an element that's not a scalar";
  if (!isRecord(item)) return "associative list with keys may not have non-map elements";
  const missing = keys.find((key) => item[key] === undefined && fieldOf(items, key)?.default === undefined);
  const omitted = `associative list with keys has an element that omits key field ${JSON.stringify(missing)}`;
  return `${omitted} (and doesn't have default value)`;
}

function* problemOfScalar(value: unknown, { type }: ScalarNode, path: Path): Generator<string> {
  switch (type) {
    case "int32":
    case "int64":
    case "number":
      if (typeof value !== "number")
        yield problem(path, `expected numeric (int or float), got ${typeof value}`);
      return;
    case "bool":
      if (typeof value !== "boolean") yield problem(path, `expected boolean, got ${typeof value}`);
      return;
    case "string":
    case "bytes":
    case "time":
    case "micro-time":
      if (typeof value !== "string") yield problem(path, `expected string, got ${typeof value}`);
      return;
    case "quantity":
    case "int-or-string":
      if (typeof value === "object") yield problem(path, "expected scalar");
  }
}

function problem(path: Path, message: string): string {
  return `${printPath(path)}: ${message}`;
}

function show(value: unknown): string {
  return JSON.stringify({ value }).slice(0, 200);
}
