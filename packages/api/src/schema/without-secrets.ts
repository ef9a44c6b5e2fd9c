import type { JsonSchema } from "./json-schema.ts";

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
