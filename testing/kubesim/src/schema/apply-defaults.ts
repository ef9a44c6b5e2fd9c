import { isRecord } from "@bowline/core";

import { deriveDefaults } from "./derived-defaults.ts";
import { field, isList, type JsonObject } from "./json-value.ts";
import type { FieldNode, ObjectNode, SchemaNode } from "./schema-node.ts";

/** Fills in what the server fills in for a built-in kind. Parts that need nothing are shared with the given object. */
export function applyDefaults(object: JsonObject, schema: ObjectNode): JsonObject {
  return defaultObject(object, schema);
}

/** The same where everything else is known to have its defaults. */
export function applyStatusDefaults(object: JsonObject, schema: ObjectNode): JsonObject {
  const known = schema.fields.get("status");
  const status = object["status"];
  if (known === undefined || status === undefined) return object;
  const filled = defaultValue(status, known.node);
  return filled === status ? object : { ...object, status: filled };
}

function defaultObject(given: JsonObject, schema: ObjectNode): JsonObject {
  const object = deriveDefaults(schema.name, given);
  const changed: [string, unknown][] = [];
  for (const [name, known] of defaultable(schema)) {
    const value = field(object, name) ?? known.default;
    if (value === undefined) continue;
    const filled = defaultValue(value, known.node);
    if (filled !== field(object, name)) changed.push([name, filled]);
  }
  return changed.length === 0 ? object : Object.fromEntries([...Object.entries(object), ...changed]);
}

/** The fields that have a default or may hold some, found once per type. */
function defaultable(schema: ObjectNode): readonly [string, FieldNode][] {
  const known = defaultableFields.get(schema);
  if (known !== undefined) return known;
  const found = [...schema.fields].filter(
    ([, { node, default: value }]) =>
      value !== undefined || node.kind === "object" || (node.kind === "list" && node.items.kind === "object"),
  );
  defaultableFields.set(schema, found);
  return found;
}

const defaultableFields = new WeakMap<ObjectNode, readonly [string, FieldNode][]>();

function defaultValue(value: unknown, schema: SchemaNode): unknown {
  if (schema.kind === "object") return isRecord(value) ? defaultObject(value, schema) : value;
  if (schema.kind !== "list" || schema.items.kind !== "object" || !isList(value)) return value;
  const items = value.map((item) => defaultValue(item, schema.items));
  return items.every((item, index) => item === value[index]) ? value : items;
}
