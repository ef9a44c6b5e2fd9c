import type { Kind } from "../kind/kind.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** The schemas of a kind under the names that `kindPaths` refers to. */
export function kindComponents(kind: Kind, shared: SharedSchemas): Record<string, object> {
  const { read, created, list, write, statusWrite } = kind.schemas;
  const expanded = (schema: JsonSchema): object => expandedSchema(schema, shared);
  const readable = {
    [kind.kind]: expanded(read),
    [`${kind.kind}List`]: expanded(list),
    [`${kind.kind}WatchEvent`]: watchEventSchema(kind.kind),
  };
  if (kind.serverMade) return readable;
  return {
    ...readable,
    // Only what is issued once makes the answer to a create different.
    [`${kind.kind}Created`]:
      kind.issued.length > 0 ? expanded(created) : { $ref: `#/components/schemas/${kind.kind}` },
    [`${kind.kind}Write`]: expanded(write),
    [`${kind.kind}StatusWrite`]: expanded(statusWrite),
  };
}

/** The data of the events of a watch, for items that are described under a name. */
export function watchEventSchema(itemName: string): object {
  return {
    description: "The data of one server-sent event.",
    type: "object",
    required: ["type"],
    properties: {
      type: { type: "string", enum: ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"] },
      object: { $ref: `#/components/schemas/${itemName}` },
      metadata: {
        description: "Of a bookmark: everything up to this resourceVersion has been sent.",
        type: "object",
        properties: { resourceVersion: { type: "string" } },
        required: ["resourceVersion"],
      },
      error: { $ref: "#/components/schemas/Error/properties/error" },
    },
  };
}

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
