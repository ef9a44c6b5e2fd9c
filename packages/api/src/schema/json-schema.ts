/**
 * The part of JSON Schema that this package writes and reads. A TypeBox schema is one as it is; this interface is what
 * the validator, the OpenAPI document, the CRDs and the field tables look at, so all of them work from the same data.
 */
export interface JsonSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly readOnly?: boolean;
  /** Accepted and never returned: what makes a field a secret. */
  readonly writeOnly?: boolean;

  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** TypeBox says `undefined` where no property is required. */
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;

  readonly anyOf?: readonly JsonSchema[];

  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** Completes "must be …" where a pattern alone would tell a person nothing. Never leaves this package. */
  readonly "x-bowline-expects"?: string;
}

/** The schema of what a client sends: a field with a default need not be there. */
export function writable(schema: JsonSchema): JsonSchema {
  const { properties, required, items, ...rest } = schema;
  return {
    ...rest,
    ...(required === undefined
      ? {}
      : { required: required.filter((name) => properties?.[name]?.default === undefined) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, writable(field)]),
          ),
        }),
    ...(items === undefined ? {} : { items: writable(items) }),
  };
}

/** The schema of what is returned: without the fields that are only written. */
export function withoutSecrets(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (properties === undefined || secretPaths(schema, "").length === 0) return schema;
  const kept = Object.entries(properties).filter(([, property]) => property.writeOnly !== true);
  return {
    ...schema,
    properties: Object.fromEntries(kept.map(([name, property]) => [name, withoutSecrets(property)])),
  };
}

/** The paths of the fields that are only written. They may not lie inside of lists: a secret must have one place. */
export function secretPaths(schema: JsonSchema, at: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    property.writeOnly === true ? [`${at}.${name}`] : secretPaths(property, `${at}.${name}`),
  );
}
