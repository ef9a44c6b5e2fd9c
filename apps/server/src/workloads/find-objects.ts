import { parseFieldSelector, type Kind, type ObjectOf } from "@bowline/api";
import { allPages, type LabelRequirement } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

export interface Search {
  /** A field selector, such as `spec.instance=web`. */
  readonly fields?: string;
  readonly labels?: readonly LabelRequirement[];
}

/** Every object of a kind that a search finds, on however many pages. */
export function findObjects<K extends Kind>(
  objects: Pick<ObjectStore, "list">,
  kind: K,
  { fields = "", labels = [] }: Search = {},
): Promise<ObjectOf<K>[]> {
  const required = parseFieldSelector(kind, fields);
  return allPages((cursor) => objects.list(kind, { fields: required, labels, cursor }));
}
