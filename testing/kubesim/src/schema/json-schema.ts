import { isRecord } from "@bowline/core";

import { isList, type JsonObject } from "./json-value.ts";

/** A schema of a CustomResourceDefinition, read once so that checking objects is quick. */
export interface JsonSchema {
  readonly type: string | undefined;
  readonly description: string | undefined;
  readonly nullable: boolean;
  readonly format: string | undefined;
  readonly properties: ReadonlyMap<string, JsonSchema>;
  /** The schema of fields that `properties` does not list; false if there may be none, undefined if nothing is said. */
  readonly additional: JsonSchema | boolean | undefined;
  readonly items: JsonSchema | undefined;
  readonly default: unknown;
  readonly preserveUnknown: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly required: readonly string[];
  readonly enum: readonly unknown[] | undefined;
  readonly pattern: string | undefined;
  readonly limits: Limits;
  readonly allOf: readonly JsonSchema[];
  readonly anyOf: readonly JsonSchema[];
  readonly oneOf: readonly JsonSchema[];
  readonly not: JsonSchema | undefined;
  /** The schema as it was written, for OpenAPI. */
  readonly source: JsonObject;
}

interface Limits {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
}

export function readJsonSchema(value: unknown): JsonSchema {
  const source: JsonObject = isRecord(value) ? value : {};
  const additional = source["additionalProperties"];
  const properties = source["properties"];
  return {
    type: text(source["type"]),
    description: text(source["description"]),
    nullable: source["nullable"] === true,
    format: text(source["format"]),
    properties: new Map(
      Object.entries(isRecord(properties) ? properties : {}).map(([name, child]) => [
        name,
        readJsonSchema(child),
      ]),
    ),
    additional: isRecord(additional) ? readJsonSchema(additional) : boolean(additional),
    items: isRecord(source["items"]) ? readJsonSchema(source["items"]) : undefined,
    default: source["default"],
    preserveUnknown: source["x-kubernetes-preserve-unknown-fields"] === true,
    embeddedResource: source["x-kubernetes-embedded-resource"] === true,
    intOrString: source["x-kubernetes-int-or-string"] === true,
    listType: text(source["x-kubernetes-list-type"]),
    listMapKeys: texts(source["x-kubernetes-list-map-keys"]),
    mapType: text(source["x-kubernetes-map-type"]),
    required: texts(source["required"]),
    enum: isList(source["enum"]) ? source["enum"] : undefined,
    pattern: text(source["pattern"]),
    limits: readLimits(source),
    allOf: schemas(source["allOf"]),
    anyOf: schemas(source["anyOf"]),
    oneOf: schemas(source["oneOf"]),
    not: isRecord(source["not"]) ? readJsonSchema(source["not"]) : undefined,
    source,
  };
}

function readLimits(source: JsonObject): Limits {
  return {
    minimum: number(source["minimum"]),
    maximum: number(source["maximum"]),
    exclusiveMinimum: source["exclusiveMinimum"] === true,
    exclusiveMaximum: source["exclusiveMaximum"] === true,
    multipleOf: number(source["multipleOf"]),
    minLength: number(source["minLength"]),
    maxLength: number(source["maxLength"]),
    minItems: number(source["minItems"]),
    maxItems: number(source["maxItems"]),
    minProperties: number(source["minProperties"]),
    maxProperties: number(source["maxProperties"]),
  };
}

function schemas(value: unknown): JsonSchema[] {
  return isList(value) ? value.map(readJsonSchema) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function boolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
