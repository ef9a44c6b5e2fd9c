import { BowlineError } from "@bowline/core";

import type { JsonSchema } from "../schema/json-schema.ts";
import { readAnything } from "./read-anything.ts";
import { arrayReader } from "./read-array.ts";
import { booleanReader, choiceReader, intOrStringReader, numberReader } from "./read-scalar.ts";
import { mapReader } from "./read-map.ts";
import { objectReader } from "./read-object.ts";
import type { Reader } from "./reader.ts";
import { stringReader } from "./read-string.ts";

/**
 * Turns a schema into a tree of closures, once. One pass then does everything: a separate check would have to walk the
 * value again to copy it and to fill in defaults, and would say only that something is wrong.
 */
export function compileReader(schema: JsonSchema): Reader {
  if (schema.anyOf !== undefined || schema.type === "null") {
    throw new BowlineError(
      "Internal",
      "A schema with anyOf or null cannot be read; say it with exactlyOneOf, choice or intOrString.",
    );
  }
  if (schema["x-kubernetes-int-or-string"] === true) return intOrStringReader(schema);
  if (schema.const !== undefined) return choiceReader([schema.const]);
  if (schema.enum !== undefined) return choiceReader(schema.enum);
  switch (schema.type) {
    case "string":
      return stringReader(schema);
    case "integer":
    case "number":
      return numberReader(schema);
    case "boolean":
      return booleanReader();
    case "array":
      return arrayReader(schema, compileReader(schema.items ?? {}));
    case "object":
      return typeof schema.additionalProperties === "object"
        ? mapReader(schema, compileReader(schema.additionalProperties))
        : objectReader(schema, compileReader);
    case undefined:
    default:
      return readAnything;
  }
}
