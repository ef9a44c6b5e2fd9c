import type { JsonObject } from "../schema/json-value.ts";
import type { FieldNode, ObjectNode } from "../schema/schema-node.ts";
import { type Dialect, scalars, SchemaWriter } from "./schema-object.ts";
import { definitionName, type ServedType } from "./served-type.ts";

/** The definitions of the given kinds, of their lists, and of everything they are made of. */
export function definitions(types: readonly ServedType[], dialect: Dialect): JsonObject {
  const writer = new SchemaWriter(dialect);
  const result = new Map<string, JsonObject>();
  for (const type of types) {
    const name = definitionName(type);
    result.set(name, { ...writer.definition(type.schema), ...kindFact(type, type.kind) });
    result.set(`${name}List`, {
      ...writer.definition(listOf(type, name)),
      ...kindFact(type, `${type.kind}List`),
    });
  }
  addReferred(writer, result);
  for (const { name, schema } of Object.values(scalars)) {
    if (name !== undefined) result.set(name, schema);
  }
  return Object.fromEntries([...result].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Types refer to types, so this goes on until nothing new turns up. */
function addReferred(writer: SchemaWriter, result: Map<string, JsonObject>): void {
  for (let known = -1; known !== writer.referred.size;) {
    known = writer.referred.size;
    for (const [name, node] of writer.referred) {
      if (!result.has(name)) result.set(name, writer.definition(node));
    }
  }
}

const text: FieldNode = { node: { kind: "scalar", type: "string" } };

const listMeta: ObjectNode = {
  kind: "object",
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
  description: "What every list has: its version and, if there is more, where to go on.",
  fields: new Map(["continue", "resourceVersion", "selfLink"].map((name) => [name, text])),
};

function listOf({ kind, schema }: ServedType, name: string): ObjectNode {
  const items: FieldNode = {
    required: true,
    node: { kind: "list", items: { ...schema, name }, listType: "atomic", keys: [] },
  };
  return {
    kind: "object",
    description: `A list of ${kind} objects.`,
    fields: new Map([
      ["apiVersion", text],
      ["kind", text],
      ["metadata", { node: listMeta }],
      ["items", items],
    ]),
  };
}

function kindFact({ group, version }: ServedType, kind: string): JsonObject {
  return { "x-kubernetes-group-version-kind": [{ group, kind, version }] };
}
