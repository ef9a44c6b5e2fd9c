import { referencesOf, valuesAt, type ApiObject, type JsonSchema, type Kind } from "@bowline/api";
import { contentId } from "@bowline/core";
import type { Compilable } from "kysely";

import type { Engine } from "../engine/engine.ts";
import type { RowOf } from "../engine/tables.ts";

export type TermRow = RowOf<"object_terms">;
export type ReferenceRow = RowOf<"object_references">;

/** A field of an object that holds the name of another. */
export interface ObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly field: string;
}

/** An entry of an index has to fit into a page of the database; a longer value is found by its hash. */
const maxValueLength = 256;

/** The term that all objects of a kind are counted under. */
export const everyObject = { term: "", value: "" } as const;

export function labelTerm(key: string): string {
  return `label:${key}`;
}

export function fieldTerm(path: string): string {
  return `field:${path}`;
}

export function termValue(value: string): string {
  return value.length <= maxValueLength ? value : contentId(value);
}

/**
 * The rows that lists are selected by, one for each value of a label or filterable field. The values are taken with the
 * function that defines what a field selector means, and one index serves every field of every kind.
 */
export function termsOf(kind: Kind, object: ApiObject): TermRow[] {
  const { name, labels } = object.metadata;
  const rows = new Map<string, TermRow>();
  const add = (term: string, value: string): void => {
    rows.set(`${term}=${value}`, { kind: kind.kind, term, value: termValue(value), name });
  };
  for (const [key, value] of Object.entries(labels)) add(labelTerm(key), value);
  for (const field of kind.filterable) {
    // Names have an index of their own.
    if (field.text === "metadata.name") continue;
    for (const value of valuesAt(field, object)) add(fieldTerm(field.text), String(value));
  }
  return [...rows.values()];
}

export function referenceRowsOf(kind: Kind, object: Pick<ApiObject, "spec" | "metadata">): ReferenceRow[] {
  const rows = referencesOf(kind, object).map((reference) => ({
    to_kind: reference.kind,
    to_name: reference.name,
    from_kind: kind.kind,
    from_name: object.metadata.name,
    field: reference.field,
  }));
  return [...new Map(rows.map((row) => [keyOfRow(row), row])).values()];
}

/** The same for an object that may not be there. */
export function referencesIn(
  kind: Kind,
  stored: { readonly object: ApiObject } | undefined,
): readonly ReferenceRow[] {
  return stored === undefined || kind.references.length === 0 ? [] : referenceRowsOf(kind, stored.object);
}

export function referrersQuery(
  queries: Engine["queries"],
  kind: Kind,
  name: string,
  limit: number,
): Compilable<ReferenceRow> {
  return queries
    .selectFrom("object_references")
    .selectAll()
    .where("to_kind", "=", kind.kind)
    .where("to_name", "=", name)
    .orderBy("from_kind")
    .orderBy("from_name")
    .orderBy("field")
    .limit(limit);
}

export function referenceOf(row: ReferenceRow): ObjectReference {
  return { kind: row.from_kind, name: row.from_name, field: row.field };
}

/** Changes when the rows of a kind have to be made anew. */
export function indexDefinitionOf(kind: Kind): string {
  return JSON.stringify({
    fields: kind.filterable.map((field) => field.text),
    references: kind.references.map((reference) => [reference.field, reference.kind]),
    defaults: defaultsOf(kind.schemas.stored),
  });
}

/** Everything that `fillDefaults` may add. */
function defaultsOf(schema: JsonSchema, at = ""): [path: string, value: unknown][] {
  const { default: own, items, properties = {} } = schema;
  return [
    ...(own === undefined ? [] : [[at, own] satisfies [string, unknown]]),
    ...(items === undefined ? [] : defaultsOf(items, `${at}[]`)),
    ...Object.entries(properties).flatMap(([name, property]) => defaultsOf(property, `${at}.${name}`)),
  ];
}

/** The rows that are in one list and not in the other. */
export function missingRows<R extends object>(rows: readonly R[], among: readonly R[]): R[] {
  if (rows.length === 0) return [];
  const known = new Set(among.map(keyOfRow));
  return rows.filter((row) => !known.has(keyOfRow(row)));
}

function keyOfRow(row: object): string {
  return Object.values(row).join("\0");
}
