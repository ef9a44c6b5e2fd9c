import { glossary } from "../schema/glossary.ts";
import type { JsonObject } from "../schema/json-value.ts";
import type { FieldNode, ListNode, ObjectNode, ScalarType, SchemaNode } from "../schema/schema-node.ts";

/** The two dialects differ in where definitions are and in what may stand beside a reference. */
export type Dialect = "v2" | "v3";

interface ScalarSchema {
  /** Some scalars are definitions of their own, as clients expect them. */
  readonly name?: string;
  readonly schema: JsonObject;
}

export const scalars: Readonly<Record<ScalarType, ScalarSchema>> = {
  string: { schema: { type: "string" } },
  bool: { schema: { type: "boolean" } },
  int32: { schema: { type: "integer", format: "int32" } },
  int64: { schema: { type: "integer", format: "int64" } },
  number: { schema: { type: "number", format: "double" } },
  bytes: { schema: { type: "string", format: "byte" } },
  quantity: {
    name: "io.k8s.apimachinery.pkg.api.resource.Quantity",
    schema: { type: "string", description: "An amount with an optional suffix, such as 100m or 2Gi." },
  },
  "int-or-string": {
    name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    schema: { type: "string", format: "int-or-string", description: "A number or a text." },
  },
  time: {
    name: "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
    schema: { type: "string", format: "date-time", description: "A time in whole seconds." },
  },
  "micro-time": {
    name: "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
    schema: { type: "string", format: "date-time", description: "A time with microseconds." },
  },
};

/** Writes nodes as OpenAPI schemas and notes every definition they lead to. */
export class SchemaWriter {
  private readonly dialect: Dialect;
  private readonly found = new Map<string, ObjectNode>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** The named types that have been referred to so far. */
  get referred(): ReadonlyMap<string, ObjectNode> {
    return this.found;
  }

  /** The schema of an object itself, as it stands under its name. */
  definition(node: ObjectNode): JsonObject {
    const described = node.description === undefined ? {} : { description: node.description };
    if (node.preserveUnknown === true && this.dialect === "v2") {
      // kubectl refuses fields that are not listed, so an object that takes any must list none.
      return { ...described, "x-kubernetes-preserve-unknown-fields": true };
    }
    const required = [...node.fields].filter(([, child]) => child.required === true).map(([name]) => name);
    const properties = [...node.fields].map(([name, child]) => [name, this.property(name, child)]);
    return {
      ...described,
      type: "object",
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(required.length === 0 ? {} : { required: required.toSorted() }),
      ...(node.atomic === true ? { "x-kubernetes-map-type": "atomic" } : {}),
      ...(node.preserveUnknown === true ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    };
  }

  private property(name: string, { node, patch, ...known }: FieldNode): JsonObject {
    const description = known.description ?? glossary.get(name) ?? typeDescription(node);
    const strategies = [
      ...(patch?.merge === true ? ["merge"] : []),
      ...(patch?.replace === true ? ["replace"] : []),
      ...(patch?.retainKeys === true ? ["retainKeys"] : []),
    ];
    const facts = {
      ...(description === undefined || description === "" ? {} : { description }),
      ...(strategies.length === 0 ? {} : { "x-kubernetes-patch-strategy": strategies.join(",") }),
      ...(patch?.mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patch.mergeKey }),
    };
    const schema = this.schema(node);
    const isReference = Object.hasOwn(schema, "$ref");
    return isReference && this.dialect === "v3" ? { ...facts, allOf: [schema] } : { ...facts, ...schema };
  }

  private schema(node: SchemaNode): JsonObject {
    switch (node.kind) {
      case "scalar":
        return this.scalar(scalars[node.type]);
      case "map":
        return {
          type: "object",
          additionalProperties: this.schema(node.values),
          ...(node.atomic === true ? { "x-kubernetes-map-type": "atomic" } : {}),
        };
      case "list":
        return { type: "array", items: this.schema(node.items), ...listFacts(node) };
      case "object":
        if (node.name === undefined) return this.definition(node);
        this.found.set(node.name, node);
        return this.reference(node.name);
      case "any":
      default:
        return { "x-kubernetes-preserve-unknown-fields": true };
    }
  }

  private scalar({ name, schema }: ScalarSchema): JsonObject {
    return name === undefined ? schema : this.reference(name);
  }

  private reference(name: string): JsonObject {
    return { $ref: `${this.dialect === "v2" ? "#/definitions" : "#/components/schemas"}/${name}` };
  }
}

function listFacts({ listType, keys, declared }: ListNode): JsonObject {
  if (declared !== true) return {};
  return {
    "x-kubernetes-list-type": listType,
    ...(listType === "map" ? { "x-kubernetes-list-map-keys": keys } : {}),
  };
}

function typeDescription(node: SchemaNode): string | undefined {
  return node.kind === "object" ? node.description : undefined;
}
