import type { Kind } from "@bowline/api";

import { addCounts, deleteRows, upsertRows } from "../engine/bulk-statement.ts";
import { run, type Transaction } from "../engine/transaction.ts";
import { everyObject, missingRows, referencesIn, termsOf, type TermRow } from "./object-index.ts";
import type { RowOf } from "../engine/tables.ts";
import { rowOf, type StoredObject } from "./stored-object.ts";

/** An object that a transaction changed, however often. */
export interface TouchedObject {
  readonly kind: Kind;
  readonly original: StoredObject | undefined;
  readonly final: StoredObject | undefined;
}

/** Writes the difference between what was there and what is to be there: objects, their indexes, their numbers. */
export function* flushObjects(touched: readonly TouchedObject[]): Transaction<void> {
  yield* run(deleteRows("objects", touched.flatMap(goneRow)));
  const present = touched.flatMap(({ final }) => (final === undefined ? [] : [rowOf(final)]));
  yield* run(upsertRows("objects", present));
  const terms = touched.map(({ kind, original, final }) =>
    difference(termsIn(kind, original), termsIn(kind, final)),
  );
  const gone = terms.flatMap((term) => term.gone);
  const added = terms.flatMap((term) => term.added);
  yield* run(deleteRows("object_terms", gone));
  yield* run(upsertRows("object_terms", added));
  yield* run(addCounts("object_counts", countRows(touched, gone, added)));
  yield* flushReferences(touched);
}

/** The row of an object that was deleted, whether or not another has its name by now. */
function goneRow({ original, final }: TouchedObject): { id: string }[] {
  if (original === undefined || final?.object.metadata.id === original.object.metadata.id) return [];
  return [{ id: original.object.metadata.id }];
}

function* flushReferences(touched: readonly TouchedObject[]): Transaction<void> {
  const references = touched.map(({ kind, original, final }) =>
    difference(referencesIn(kind, original), referencesIn(kind, final)),
  );
  yield* run(
    deleteRows(
      "object_references",
      references.flatMap(({ gone }) => gone),
    ),
  );
  yield* run(
    upsertRows(
      "object_references",
      references.flatMap(({ added }) => added),
    ),
  );
}

function difference<R extends object>(
  before: readonly R[],
  after: readonly R[],
): { readonly gone: readonly R[]; readonly added: readonly R[] } {
  return { gone: missingRows(before, after), added: missingRows(after, before) };
}

function termsIn(kind: Kind, stored: StoredObject | undefined): readonly TermRow[] {
  return stored === undefined ? [] : termsOf(kind, stored.object);
}

/** By how much each number changes. */
function countRows(
  touched: readonly TouchedObject[],
  gone: readonly TermRow[],
  added: readonly TermRow[],
): RowOf<"object_counts">[] {
  const rows = new Map<string, RowOf<"object_counts">>();
  const add = (counted: Pick<TermRow, "kind" | "term" | "value">, by: number): void => {
    const { kind, term, value } = counted;
    const key = `${kind}\0${term}\0${value}`;
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { kind, term, value, count: by });
    else row.count += by;
  };
  for (const { kind, original, final } of touched) {
    add({ kind: kind.kind, ...everyObject }, Number(final !== undefined) - Number(original !== undefined));
  }
  for (const term of gone) add(term, -1);
  for (const term of added) add(term, 1);
  return [...rows.values()].filter(({ count }) => count !== 0);
}
