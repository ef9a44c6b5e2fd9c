import type { TArray, TObject, TSchema } from "typebox";

import { ListMeta, pageLimits } from "../object/list-meta.ts";
import { list, object } from "../schema/build.ts";

/** A page of records, newest first, with the same metadata that lists of objects have. */
export function recordList<Item extends TSchema>(
  description: string,
  item: Item,
): TObject<{ metadata: typeof ListMeta; items: TArray<Item> }> {
  return object(description, {
    metadata: ListMeta,
    items: list("The records.", item, { maxItems: pageLimits.maximum }),
  });
}
