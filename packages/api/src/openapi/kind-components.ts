import type { Kind } from "../kind/kind.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { expandedSchema, type SharedSchemas } from "./public-schema.ts";

/** The schemas of a kind under the names that `kindPaths` refers to. */
export function kindComponents(kind: Kind, shared: SharedSchemas): Record<string, object> {
  const { read, created, list, write, statusWrite } = kind.schemas;
  const expanded = (schema: JsonSchema): object => expandedSchema(schema, shared);
  return {
    [kind.kind]: expanded(read),
    // Only what is issued once makes the answer to a create different.
    [`${kind.kind}Created`]:
      kind.issued.length > 0 ? expanded(created) : { $ref: `#/components/schemas/${kind.kind}` },
    [`${kind.kind}List`]: expanded(list),
    [`${kind.kind}Write`]: expanded(write),
    [`${kind.kind}StatusWrite`]: expanded(statusWrite),
    [`${kind.kind}WatchEvent`]: watchEvent(kind),
  };
}

function watchEvent(kind: Kind): object {
  return {
    description: "The data of one server-sent event.",
    type: "object",
    required: ["type"],
    properties: {
      type: { type: "string", enum: ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"] },
      object: { $ref: `#/components/schemas/${kind.kind}` },
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
