import { Compile } from "typebox/schema";

import type { JsonSchema } from "../schema/json-schema.ts";

/** Problems of a value; none when it follows the schema. */
export type SchemaCheck = (value: unknown) => readonly string[];

const checks = new WeakMap<JsonSchema, SchemaCheck>();

/**
 * Reads a schema as JSON Schema 2020-12 defines it, with TypeBox's engine and none of our own readers: what decides
 * whether the server keeps to what its OpenAPI document says must not be the code that the server decides with.
 */
export function schemaCheck(schema: JsonSchema): SchemaCheck {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const compiled = Compile({ ...schema });
  const check: SchemaCheck = (value) => {
    if (compiled.Check(value)) return [];
    const [, errors] = compiled.Errors(value);
    const texts = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
    return texts.length === 0 ? ["does not follow the schema"] : texts;
  };
  checks.set(schema, check);
  return check;
}
