import type { Static, TArray, TObject, TSchema } from "typebox";

import { integer, list, object, optional, text } from "../schema/build.ts";
import type { ErrorBody } from "./error-body.ts";
import { resourceVersionRule } from "./metadata.ts";

/** Long enough for any key the server packs into it, short enough for every proxy's limit on addresses. */
export const maxCursorLength = 512;

/** How many objects a page has when nobody says, and at most. */
export const pageLimits = { default: 100, maximum: 1000 } as const;

export const ListMeta = object("What a list says about itself.", {
  resourceVersion: text("What the list is as new as; a watch may go on from here.", resourceVersionRule),
  cursor: optional(
    text("Send it back to get the next page; missing on the last one.", { maxLength: maxCursorLength }),
  ),
  total: integer("How many objects match, on all pages.", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});
export type ListMeta = Static<typeof ListMeta>;

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

/** Types of changes, in the words Kubernetes uses. */
export const changeTypes = ["ADDED", "MODIFIED", "DELETED"] as const;

/**
 * One event of a watch, as the data of a server-sent event whose id is the resourceVersion to resume from.
 *
 * - ADDED, MODIFIED, DELETED: the object as it is, or as it was last
 * - BOOKMARK: nothing happened that matches, and everything up to this resourceVersion has been sent
 * - ERROR: the watch ends; a code of `Expired` means that it must begin again with a list
 */
export type WatchEvent<Item> =
  | { readonly type: (typeof changeTypes)[number]; readonly object: Item }
  | { readonly type: "BOOKMARK"; readonly metadata: { readonly resourceVersion: string } }
  | { readonly type: "ERROR"; readonly error: ErrorBody["error"] };
