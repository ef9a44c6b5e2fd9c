import { BowlineError } from "@bowline/core";

import type { JsonSchema } from "../schema/json-schema.ts";

/** A schema as `apiextensions.k8s.io/v1` takes it: JSON Schema of an older draft, with rules about its structure. */
export interface StructuralSchema {
  [keyword: string]: unknown;
  type?: string;
  properties?: Record<string, StructuralSchema>;
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
}

/** Keywords that mean the same there. */
const kept = words(
  "type title description default enum pattern minLength maxLength minimum maximum minItems maxItems minProperties",
  "maxProperties x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-list-type",
  "x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations",
);

/** Keywords that become something else below. */
const translated = words(
  "properties required items additionalProperties anyOf const format exclusiveMinimum exclusiveMaximum uniqueItems",
);

/** Keywords without a counterpart. Of these only `propertyNames` is a rule: the keys of maps are for the reader to check. */
const leftOut = words("propertyNames examples readOnly writeOnly x-bowline-expects");

const knownFormats = words("date-time int32 int64 double byte uri uuid");

/**
 * The structural schema for a custom resource. A keyword that it does not know makes it throw: leaving out a rule
 * without a word would let values in that the rest of the program believes impossible.
 */
export function toStructuralSchema(schema: JsonSchema): StructuralSchema {
  for (const keyword of Object.keys(schema)) {
    const known = kept.has(keyword) || translated.has(keyword) || leftOut.has(keyword);
    if (!known) throw unsayable(`the keyword "${keyword}"`);
  }
  // Kubernetes 1.20 reads this default as null and then refuses the definition.
  if (schema.default === "") throw unsayable("an empty string as a default");
  const keptEntries = Object.entries(schema).filter(([keyword]) => kept.has(keyword));
  const result: StructuralSchema = {
    ...Object.fromEntries(keptEntries),
    ...exclusiveLimits(schema),
    ...(schema.format !== undefined && knownFormats.has(schema.format) ? { format: schema.format } : {}),
    ...(schema.const === undefined ? {} : { type: typeof schema.const, enum: [schema.const] }),
    ...nested(schema),
  };
  return withType(schema.anyOf === undefined ? result : { ...result, ...withoutUnion(schema.anyOf) });
}

function nested(schema: JsonSchema): StructuralSchema {
  const { properties, items, additionalProperties } = schema;
  if (schema.uniqueItems === true && schema["x-kubernetes-list-type"] !== "set") {
    throw unsayable("unique items in a list that is not a set");
  }
  return {
    ...(properties === undefined
      ? {}
      : { properties: mapValues(properties, toStructuralSchema), ...requiredOf(schema) }),
    ...(items === undefined ? {} : { items: toStructuralSchema(items) }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: toStructuralSchema(additionalProperties) }
      : {}),
  };
}

/** The API server fills in defaults before it looks at what is required. */
function requiredOf(schema: JsonSchema): { required?: string[] } {
  const required = (schema.required ?? []).filter((name) => schema.properties?.[name]?.default === undefined);
  return required.length === 0 ? {} : { required };
}

/** In the draft that Kubernetes follows these are flags on `minimum` and `maximum`. */
function exclusiveLimits({ exclusiveMinimum, exclusiveMaximum }: JsonSchema): StructuralSchema {
  return {
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum === undefined ? {} : { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  };
}

/**
 * A structural schema names the type outside of every union, which leaves three unions that can be said: constants
 * become an enum, a number or a string has a keyword of its own, and "or null" is the flag `nullable`.
 */
function withoutUnion(members: readonly JsonSchema[]): StructuralSchema {
  const constants = members.map((member) => member.const);
  if (constants.every((constant) => constant !== undefined && typeof constant === typeof constants[0])) {
    return { type: typeof constants[0], enum: constants };
  }
  const types = new Set(members.map((member) => member.type));
  if (members.length === 2 && types.has("integer") && types.has("string"))
    return { "x-kubernetes-int-or-string": true };
  const others = members.filter((member) => member.type !== "null");
  const [only] = others;
  if (only !== undefined && others.length === 1) return { ...toStructuralSchema(only), nullable: true };
  throw unsayable("a union of different types");
}

function withType(schema: StructuralSchema): StructuralSchema {
  const free =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.type !== undefined || free) return schema;
  if (Array.isArray(schema["enum"])) return { ...schema, type: typeof schema["enum"][0] };
  return { ...schema, "x-kubernetes-preserve-unknown-fields": true };
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(" ").split(" "));
}

function unsayable(what: string): BowlineError {
  return new BowlineError("Internal", `The schema of a custom resource cannot say ${what}.`);
}
