import type { TArray, TObject, TSchema } from "typebox";

import { ListMeta, pageLimits } from "../object/list-meta.ts";
import { list, object, optional } from "../schema/build.ts";

const { resourceVersion, cursor, total } = ListMeta.properties;

export const RecordListMeta = object("What a list of records says about itself.", {
  resourceVersion: optional(resourceVersion),
  cursor,
  total,
});

/** A page of records, newest first; what can be watched has a resourceVersion to go on from. */
export function recordList<Item extends TSchema>(
  description: string,
  item: Item,
): TObject<{ metadata: typeof RecordListMeta; items: TArray<Item> }> {
  return object(description, {
    metadata: RecordListMeta,
    items: list("The records.", item, { maxItems: pageLimits.maximum }),
  });
}
