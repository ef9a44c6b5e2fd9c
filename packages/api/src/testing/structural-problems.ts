/** A schema before anybody knows whether it is structural. */
interface FoundSchema {
  [keyword: string]: unknown;
  type?: string;
  properties?: Record<string, FoundSchema>;
  items?: FoundSchema;
  additionalProperties?: FoundSchema | boolean;
}

/** Keywords that `apiextensions.k8s.io/v1` refuses outright, or takes and then ignores. */
const forbidden = [
  "$ref",
  "definitions",
  "$defs",
  "dependencies",
  "patternProperties",
  "propertyNames",
  "const",
  "examples",
  "readOnly",
  "writeOnly",
  "deprecated",
  "discriminator",
  "contentEncoding",
  "anyOf",
  "oneOf",
  "if",
];

/** Why an API server would refuse the schema of a custom resource: the rules of its documentation, as far as we meet them. */
export function structuralProblems(schema: FoundSchema | boolean, at = "schema"): string[] {
  if (typeof schema !== "object") return [`${at} is no schema`];
  const { type, properties = {}, items, additionalProperties } = schema;
  const inner: [string, FoundSchema | boolean | undefined][] = [
    ...Object.entries(properties).map(([name, value]): [string, FoundSchema] => [`${at}.${name}`, value]),
    [`${at}[]`, items],
    [`${at}.*`, additionalProperties],
  ];
  return [
    ...forbidden.filter((keyword) => keyword in schema).map((keyword) => `${at} has ${keyword}`),
    ...Object.keys(schema)
      .filter((keyword) => keyword.startsWith("x-") && !keyword.startsWith("x-kubernetes-"))
      .map((keyword) => `${at} has ${keyword}`),
    ...typeProblems(schema, at),
    ...listProblems(schema, at),
    ...(additionalProperties !== undefined && schema.properties !== undefined
      ? [`${at} has properties and additionalProperties`]
      : []),
    ...(type === "array" && items === undefined ? [`${at} has no items`] : []),
    ...(typeof schema["exclusiveMinimum"] === "number" || typeof schema["exclusiveMaximum"] === "number"
      ? [`${at} has exclusive limits that are numbers`]
      : []),
    ...inner.flatMap(([path, value]) => (value === undefined ? [] : structuralProblems(value, path))),
  ];
}

function typeProblems(schema: FoundSchema, at: string): string[] {
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  if (intOrString) return schema.type === undefined ? [] : [`${at} has a type beside int-or-string`];
  if (schema.type !== undefined) return [];
  return schema["x-kubernetes-preserve-unknown-fields"] === true ? [] : [`${at} has no type`];
}

function listProblems(schema: FoundSchema, at: string): string[] {
  const listType = schema["x-kubernetes-list-type"];
  if (schema["uniqueItems"] === true) return [`${at} has uniqueItems`];
  if (listType === "set" && schema.items?.type === "object") return [`${at} is a set of objects`];
  if (listType !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"];
  if (!Array.isArray(keys)) return [`${at} is a map without keys`];
  const required = schema.items?.["required"];
  return keys
    .filter((key: string) => {
      const property = schema.items?.properties?.[key];
      return property?.["default"] === undefined && !(Array.isArray(required) && required.includes(key));
    })
    .map((key) => `${at} is a map by ${key}, which is not required`);
}
