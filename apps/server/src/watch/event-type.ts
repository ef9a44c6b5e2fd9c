import { matchesFields, type ApiObject, type changeTypes, type FieldRequirement } from "@bowline/api";
import { matchesLabels, type LabelRequirement } from "@bowline/core";

import type { Change } from "@bowline/store";

export type ChangeType = (typeof changeTypes)[number];

export interface Selection {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

/**
 * What a change is to somebody who sees only what matches: an object that begins to match is new to them, and one that
 * ceases to is gone. Undefined when they see neither what was nor what is.
 */
export function eventTypeOf(selection: Selection, change: Change): ChangeType | undefined {
  if (selection.labels.length === 0 && selection.fields.length === 0) return change.type;
  const { previous } = change;
  const matched = previous !== undefined && matches(selection, previous);
  const doesMatch = change.type !== "DELETED" && matches(selection, change.object);
  if (doesMatch) return matched ? "MODIFIED" : "ADDED";
  return matched ? "DELETED" : undefined;
}

function matches({ labels, fields }: Selection, object: ApiObject): boolean {
  return matchesLabels(labels, object.metadata.labels) && matchesFields(fields, object);
}
