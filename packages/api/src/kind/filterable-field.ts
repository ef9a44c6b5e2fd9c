import { BowlineError } from "@bowline/core";

import { parseFieldPath, schemaAt, type FieldPath } from "../path/field-path.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** A field that lists can be filtered by. */
export interface FilterableField extends FieldPath {
  readonly type: "string" | "boolean" | "integer";
  /** The only values it can have, where the schema names them. */
  readonly choices?: readonly string[];
  /** What a missing field counts as: a condition nobody has set is `Unknown`, everything else is empty. */
  readonly absent: string;
}

/** Looks up in the schema what a filter on this field has to know; a path that is not in it is a mistake in the kind. */
export function filterableField(text: string, schema: JsonSchema): FilterableField {
  const path = parseFieldPath(text);
  const field = schemaAt(path, schema);
  const type = field?.type;
  if (type !== "string" && type !== "boolean" && type !== "integer") {
    throw new BowlineError(
      "Internal",
      `"${text}" cannot be filtered by: it is no string, boolean or integer.`,
    );
  }
  const choices = field?.enum?.map(String);
  const isCondition = path.steps.some((step) => step.step === "where");
  return {
    ...path,
    type,
    absent: isCondition ? "Unknown" : "",
    ...(choices === undefined ? {} : { choices }),
  };
}
