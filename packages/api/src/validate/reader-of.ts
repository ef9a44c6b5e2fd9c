import type { JsonSchema } from "../schema/json-schema.ts";
import { compileReader } from "./compile-reader.ts";
import type { Reader } from "./reader.ts";

const readers = new WeakMap<JsonSchema, Reader>();

/** Compiling costs a hundred times what reading does, so it happens once for each schema, when it is first needed. */
export function readerOf(schema: JsonSchema): Reader {
  const known = readers.get(schema);
  if (known !== undefined) return known;
  const reader = compileReader(schema);
  readers.set(schema, reader);
  return reader;
}
