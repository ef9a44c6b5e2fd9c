import { builtinType } from "./builtin.ts";
import type { CrdVersionNames } from "./crd.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { FieldNode, ObjectNode, ScalarType, SchemaNode } from "./schema-node.ts";

const text: FieldNode = { node: { kind: "scalar", type: "string" } };

/** The schema of a custom kind as server-side apply and OpenAPI see it. */
export function customSchemaNode(schema: JsonSchema, { group, version, kind }: CrdVersionNames): ObjectNode {
  const root = objectNode(schema);
  return {
    ...root,
    name: `${group.split(".").toReversed().join(".")}.${version}.${kind}`,
    fields: withMeta(root.fields),
  };
}

function withMeta(fields: ReadonlyMap<string, FieldNode>): ReadonlyMap<string, FieldNode> {
  const metadata: FieldNode = { node: builtinType("meta.ObjectMeta") };
  return new Map([...fields, ["apiVersion", text], ["kind", text], ["metadata", metadata]]);
}

function objectNode(schema: JsonSchema): ObjectNode {
  const needed = new Set(schema.required);
  const fields = new Map(
    [...schema.properties].map(([name, child]) => [name, fieldNode(child, needed.has(name))] as const),
  );
  return {
    kind: "object",
    fields: schema.embeddedResource ? withMeta(fields) : fields,
    atomic: schema.mapType === "atomic",
    preserveUnknown: schema.preserveUnknown,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  };
}

/** A field that its author did not describe stays without a description: it is not the one of a built-in kind. */
function fieldNode(schema: JsonSchema, required: boolean): FieldNode {
  return {
    node: toNode(schema),
    required,
    description: schema.description ?? "",
    ...(schema.default === undefined ? {} : { default: schema.default }),
  };
}

function toNode(schema: JsonSchema): SchemaNode {
  if (schema.intOrString) return { kind: "scalar", type: "int-or-string" };
  switch (schema.type) {
    case "array":
      return listNode(schema);
    case "object":
      return typeof schema.additional === "object"
        ? { kind: "map", values: toNode(schema.additional), atomic: schema.mapType === "atomic" }
        : objectOrAny(schema);
    case "string":
    case "boolean":
    case "integer":
    case "number":
      return { kind: "scalar", type: scalarTypes[schema.type] };
    case undefined:
    default:
      return { kind: "any", atomic: true };
  }
}

const scalarTypes = {
  string: "string",
  boolean: "bool",
  integer: "int64",
  number: "number",
} as const satisfies Record<string, ScalarType>;

function objectOrAny(schema: JsonSchema): SchemaNode {
  const isOpen = schema.properties.size === 0 && !schema.embeddedResource;
  return isOpen && (schema.preserveUnknown || schema.additional === true)
    ? { kind: "any" }
    : objectNode(schema);
}

function listNode(schema: JsonSchema): SchemaNode {
  const items: SchemaNode = schema.items === undefined ? { kind: "any" } : toNode(schema.items);
  const declared = schema.listType !== undefined;
  if (schema.listType === "map") {
    return { kind: "list", items, listType: "map", keys: schema.listMapKeys, declared };
  }
  return { kind: "list", items, listType: schema.listType === "set" ? "set" : "atomic", keys: [], declared };
}
