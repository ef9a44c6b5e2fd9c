import type { Static } from "typebox";

import { integer, object, optional, text } from "../schema/build.ts";
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
