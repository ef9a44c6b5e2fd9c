import type { JsonSchema } from "../schema/json-schema.ts";

/** Schemas that are written once, under `components`, and referred to from everywhere else. */
export type SharedSchemas = ReadonlyMap<JsonSchema, string>;

/** A schema as plain JSON Schema 2020-12, which OpenAPI 3.1 takes as it is: without our own and Kubernetes' keywords. */
function publicSchema(schema: JsonSchema, shared: SharedSchemas): object {
  const name = shared.get(schema);
  return name === undefined ? expandedSchema(schema, shared) : { $ref: `#/components/schemas/${name}` };
}

/** The schema itself, even if it has a name of its own. */
export function expandedSchema(schema: JsonSchema, shared: SharedSchemas): object {
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword.startsWith("x-")) continue;
    plain[keyword] = value;
  }
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined) {
    plain["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, publicSchema(property, shared)]),
    );
  }
  if (items !== undefined) plain["items"] = publicSchema(items, shared);
  if (typeof additionalProperties === "object") {
    plain["additionalProperties"] = publicSchema(additionalProperties, shared);
  }
  if (schema.propertyNames !== undefined)
    plain["propertyNames"] = expandedSchema(schema.propertyNames, shared);
  return plain;
}
