import type { Static, TSchema } from "typebox";

import type { Problem } from "./problem.ts";
import { compileReader } from "./compile-reader.ts";
import { Report } from "./report.ts";

export type Validated<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Makes a function that checks values of one schema: it returns a copy with defaults applied, or everything that is
 * wrong. It never throws and never changes what it was given.
 */
export function createValidator<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => Validated<Static<Schema>> {
  const read = compileReader(schema);
  return (value) => {
    const report = new Report();
    const copy = read(value, report);
    if (report.problems.length > 0) return { ok: false, problems: report.problems };
    // The reader was made from this very schema, which TypeScript cannot see.
    return { ok: true, value: copy as Static<Schema> };
  };
}
