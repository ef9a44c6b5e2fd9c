import type { ErrorBody } from "./error-body.ts";

/** What a change was, in the words Kubernetes uses. */
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
