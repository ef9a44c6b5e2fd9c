import { isRecord } from "@bowline/core";

import { builtinType } from "./builtin.ts";
import { prune } from "./prune.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isList, type JsonObject } from "./json-value.ts";

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Drops every field the schema does not describe, except where it says that unknown fields are kept. */
export function pruneCustomObject(object: JsonObject, schema: JsonSchema): JsonObject {
  return pruneObject(object, { ...schema, embeddedResource: true });
}

function pruneValue(value: unknown, schema: JsonSchema | undefined): unknown {
  if (isRecord(value)) return pruneObject(value, schema);
  if (!isList(value)) return value;
  if (schema?.preserveUnknown === true && schema.items === undefined) return value;
  return value.map((item) => pruneValue(item, schema?.items));
}

function pruneObject(object: JsonObject, schema: JsonSchema | undefined): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (schema?.embeddedResource === true && metaFields.has(name)) kept.push([name, pruneMeta(value)]);
    else if (schema?.properties.has(name) === true)
      kept.push([name, pruneValue(value, schema.properties.get(name))]);
    else if (typeof schema?.additional === "object") kept.push([name, pruneValue(value, schema.additional)]);
    else if (schema?.preserveUnknown === true) kept.push([name, value]);
    else if (schema?.additional === true) kept.push([name, pruneValue(value, undefined)]);
  }
  return Object.fromEntries(kept);
}

/** The metadata of every object is of one type, wherever it stands. */
function pruneMeta(value: unknown): unknown {
  return isRecord(value) ? prune(value, builtinType("meta.ObjectMeta")) : value;
}
