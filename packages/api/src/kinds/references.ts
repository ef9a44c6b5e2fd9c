import type { ApiObject, Kind } from "../kind/kind.ts";
import type { Reference } from "../kind/reference.ts";
import { parseFieldPath, valuesAt, type FieldPath } from "../path/field-path.ts";
import { kinds } from "./index.ts";

/** One name in one object that stands for another object. */
export interface FoundReference extends Reference {
  /** The name of the other object. */
  readonly name: string;
}

/** Where a reference is, parsed once: every write looks there. */
const parsedFields = new WeakMap<Reference, FieldPath>();

/** Every object that this one names. */
export function referencesOf(kind: Kind, item: Pick<ApiObject, "spec">): FoundReference[] {
  return kind.references.flatMap((reference) => {
    const names = valuesAt(pathOf(reference), { spec: item.spec });
    return names.flatMap((name) => (typeof name === "string" ? [{ ...reference, name }] : []));
  });
}

function pathOf(reference: Reference): FieldPath {
  const path = parsedFields.get(reference) ?? parseFieldPath(reference.field);
  parsedFields.set(reference, path);
  return path;
}

export interface Referrer {
  readonly from: Kind;
  readonly reference: Reference;
}

/** The fields of any kind that can hold the name of an object of this one: where to look before it is deleted. */
export function referrersOf(kind: Kind): Referrer[] {
  return kinds.flatMap((from) =>
    from.references
      .filter((reference) => reference.kind === kind.kind)
      .map((reference) => ({ from, reference })),
  );
}
