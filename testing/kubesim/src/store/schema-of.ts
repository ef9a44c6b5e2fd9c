import { builtinSchema } from "../schema/builtin.ts";
import type { ObjectNode } from "../schema/schema-node.ts";
import type { GroupVersion, ResourceType } from "./resource-type.ts";

/** The description of a kind's fields in one of its versions. */
export function schemaOf(type: ResourceType, place: GroupVersion): ObjectNode | undefined {
  if (type.custom) return type.custom.get(place.version)?.schema.schemaNode;
  return builtinSchema(place.group, type.kind, place.version);
}
