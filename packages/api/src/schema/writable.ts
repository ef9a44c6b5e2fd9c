import type { JsonSchema } from "./json-schema.ts";

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
