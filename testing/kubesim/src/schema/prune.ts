import { isRecord } from "@bowline/core";

import { isList, type JsonObject } from "./json-value.ts";
import type { FieldNode, ObjectNode, ScalarNode, SchemaNode } from "./schema-node.ts";

/**
 * A built-in object the way the server keeps it: it reads every object into types of its own, so fields it does not
 * know are dropped, nulls and empty values count as missing, and some parts are always there, if only empty.
 */
export function prune(object: JsonObject, schema: ObjectNode): JsonObject {
  return pruneObject(object, schema);
}

function pruneObject(object: JsonObject, schema: ObjectNode): JsonObject {
  const kept = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const known = schema.fields.get(name);
    if (known === undefined) {
      if (schema.preserveUnknown === true) kept.set(name, value);
      continue;
    }
    const pruned = pruneValue(value, known.node);
    if (!countsAsMissing(pruned, known)) kept.set(name, pruned);
  }
  for (const [name, known] of inevitable(schema)) {
    if (!kept.has(name)) kept.set(name, emptyValue(known));
  }
  return Object.fromEntries(kept);
}

/** The fields that are always there, found once per type. */
function inevitable(schema: ObjectNode): readonly [string, FieldNode][] {
  const known = inevitableFields.get(schema);
  if (known !== undefined) return known;
  const found = [...schema.fields].filter(([, child]) => emptyValue(child) !== undefined);
  inevitableFields.set(schema, found);
  return found;
}

const inevitableFields = new WeakMap<ObjectNode, readonly [string, FieldNode][]>();

function pruneValue(value: unknown, schema: SchemaNode): unknown {
  if (schema.kind === "object" && isRecord(value)) return pruneObject(value, schema);
  if (schema.kind === "list" && isList(value)) return value.map((item) => pruneValue(item, schema.items));
  if (schema.kind === "map" && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, pruneValue(item, schema.values)]),
    );
  }
  return value;
}

function countsAsMissing(value: unknown, { node, always, required, pointer }: FieldNode): boolean {
  if (value === null || value === undefined) return true;
  // A list that is always there is null when it is empty.
  if (always === true && isList(value)) return value.length === 0;
  if (always === true || required === true || pointer === true) return false;
  if (isList(value)) return value.length === 0;
  if (node.kind === "map") return isRecord(value) && Object.keys(value).length === 0;
  return node.kind === "scalar" && zeros.has(node.type) && (value === "" || value === 0 || value === false);
}

/** The scalars that are plain values in the server, with no way to tell zero from missing. */
const zeros: ReadonlySet<ScalarNode["type"]> = new Set(["string", "bool", "int32", "int64", "number"]);

function emptyValue({ node, always, required }: FieldNode): unknown {
  if (node.kind === "object") return always === true ? pruneObject({}, node) : undefined;
  if (node.kind === "list") return always === true ? null : undefined;
  if (node.kind !== "scalar" || (always !== true && required !== true)) return undefined;
  if (node.type === "int32" || node.type === "int64") return 0;
  if (node.type === "bool") return false;
  if (always !== true) return undefined;
  if (node.type === "time" || node.type === "micro-time") return null;
  return node.type === "string" ? "" : undefined;
}
