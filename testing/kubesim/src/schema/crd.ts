import type { FieldProblem } from "../store/status-errors.ts";
import { defaultCustomObject } from "./crd-default.ts";
import { pruneCustomObject } from "./crd-prune.ts";
import { customSchemaNode } from "./crd-schema-node.ts";
import { validateCustomObject } from "./crd-validate.ts";
import { readJsonSchema } from "./json-schema.ts";
import type { JsonObject } from "./json-value.ts";
import type { ObjectNode } from "./schema-node.ts";

/** What the server does with the objects of one version of a CustomResourceDefinition. */
export interface CompiledCrdSchema {
  /** Drops what the schema does not describe. */
  readonly prune: (object: JsonObject) => JsonObject;
  /** Fills in defaults, and drops nulls where null is not a value. */
  readonly default: (object: JsonObject) => JsonObject;
  readonly validate: (object: JsonObject) => FieldProblem[];
  /** The schema in the form that server-side apply and OpenAPI take. */
  readonly schemaNode: ObjectNode;
}

export interface CrdVersionNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Compiles the `openAPIV3Schema` of a version. Without one, everything is kept and nothing is checked. */
export function compileCrdSchema(openApiV3Schema: unknown, names: CrdVersionNames): CompiledCrdSchema {
  const schema = readJsonSchema(openApiV3Schema ?? { "x-kubernetes-preserve-unknown-fields": true });
  return {
    prune: (object) => pruneCustomObject(object, schema),
    default: (object) => defaultCustomObject(object, schema),
    validate: (object) => validateCustomObject(object, schema),
    schemaNode: customSchemaNode(schema, names),
  };
}
