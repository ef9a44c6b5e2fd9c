import { isRecord } from "@bowline/core";

import type { JsonSchema } from "./json-schema.ts";
import { field, isList, type JsonObject } from "./json-value.ts";

/** Fills in the defaults of a custom object. A null where null is no value counts as missing. */
export function defaultCustomObject(object: JsonObject, schema: JsonSchema): JsonObject {
  return defaultObject(object, schema);
}

function defaultObject(object: JsonObject, schema: JsonSchema): JsonObject {
  const result: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    const known = schema.properties.get(name) ?? schema.additional;
    if (typeof known !== "object") result.push([name, value]);
    else if (!isMissing(value, known)) result.push([name, defaultValue(value, known)]);
    else if (!schema.properties.has(name) && known.default !== undefined) result.push([name, known.default]);
  }
  for (const [name, known] of schema.properties) {
    if (known.default !== undefined && isMissing(field(object, name), known)) {
      result.push([name, defaultValue(known.default, known)]);
    }
  }
  return Object.fromEntries(result);
}

function isMissing(value: unknown, schema: JsonSchema): boolean {
  return value === undefined || (value === null && !schema.nullable && !schema.preserveUnknown);
}

function defaultValue(value: unknown, schema: JsonSchema): unknown {
  if (isRecord(value)) return defaultObject(value, schema);
  const { items } = schema;
  if (!isList(value) || items === undefined) return value;
  return value.map((item) => defaultValue(item ?? items.default ?? item, items));
}
