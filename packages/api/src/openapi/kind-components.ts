import type { Kind } from "../kind/kind.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { expandedSchema, type SharedSchemas } from "./public-schema.ts";
import { watchEventSchema } from "./watch-event-schema.ts";

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
    [`${kind.kind}WatchEvent`]: watchEventSchema(kind.kind),
  };
}
