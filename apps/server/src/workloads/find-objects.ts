import type { FieldRequirement, Kind, ObjectOf } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";
import { BowlineError } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

export interface Search {
  /** Values of filterable fields. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly labels?: readonly LabelRequirement[];
}

/** Every object of a kind that a search finds, on however many pages. */
export async function findObjects<K extends Kind>(
  objects: Pick<ObjectStore, "list">,
  kind: K,
  { fields = {}, labels = [] }: Search = {},
): Promise<ObjectOf<K>[]> {
  const required = Object.entries(fields).map(([field, value]) => fieldIs(kind, field, value));
  const found: ObjectOf<K>[] = [];
  let cursor: string | undefined;
  do {
    const page = await objects.list(kind, { fields: required, labels, cursor });
    found.push(...page.items);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}

function fieldIs(kind: Kind, text: string, value: string): FieldRequirement {
  const field = kind.filterable.find((each) => each.text === text);
  if (field === undefined) throw new BowlineError("Internal", `${kind.kind} cannot be found by ${text}.`);
  return { field, operator: "=", value };
}
