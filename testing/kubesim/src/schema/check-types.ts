import { isRecord } from "@bowline/core";

import { SimStatusError } from "../store/sim-status-error.ts";
import { isList, type JsonObject } from "./json-value.ts";
import type { ObjectNode, ScalarNode, SchemaNode } from "./schema-node.ts";

/** Refuses an object the server could not read into its own types, with the first field that does not fit. */
export function checkTypes(
  object: JsonObject,
  schema: ObjectNode,
  kind: { apiVersion: string; kind: string },
): void {
  const problem = firstMismatch(object, schema, "");
  if (problem === undefined) return;
  const version = kind.apiVersion.split("/").at(-1);
  throw new SimStatusError({
    code: 400,
    reason: "BadRequest",
    message: `${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${problem}`,
  });
}

function firstMismatch(value: unknown, schema: SchemaNode, path: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (schema.kind) {
    case "any":
      return undefined;
    case "scalar":
      return scalarFits(value, schema) ? undefined : mismatch(value, path, schema.type);
    case "list":
      if (!isList(value)) return mismatch(value, path, "list");
      return first(value, (item) => firstMismatch(item, schema.items, path));
    case "map":
      if (!isRecord(value)) return mismatch(value, path, "map");
      return first(Object.values(value), (item) => firstMismatch(item, schema.values, path));
    case "object":
    default:
      return firstMismatchOfFields(value, schema, path);
  }
}

function firstMismatchOfFields(value: unknown, schema: ObjectNode, path: string): string | undefined {
  if (!isRecord(value)) return mismatch(value, path, "object");
  return first(Object.entries(value), ([name, child]) => {
    const known = schema.fields.get(name);
    return known === undefined ? undefined : firstMismatch(child, known.node, `${path}.${name}`);
  });
}

function scalarFits(value: unknown, { type }: ScalarNode): boolean {
  switch (type) {
    case "bool":
      return typeof value === "boolean";
    case "int32":
      return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 31;
    case "int64":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    case "int-or-string":
      return typeof value === "string" || Number.isInteger(value);
    case "quantity":
      return typeof value === "number" || (typeof value === "string" && quantity.test(value));
    case "time":
    case "micro-time":
      return typeof value === "string" && (value === "" || !Number.isNaN(Date.parse(value)));
    case "bytes":
      return typeof value === "string" && value.length % 4 === 0 && base64.test(value);
    case "string":
    default:
      return typeof value === "string";
  }
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A number with an optional exponent or suffix: `100m`, `1.5Gi`, `1e3`. */
const quantity = /^[+-]?(\d+\.?\d{0,60}|\.\d{1,60})([eE][+-]?\d{1,9}|[KMGTPE]i|[numkMGTPE])?$/;

function mismatch(value: unknown, path: string, type: string): string {
  const given = isList(value) ? "array" : typeof value;
  return `json: cannot unmarshal ${given} into field ${path.slice(1)} of type ${type}`;
}

function first<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
