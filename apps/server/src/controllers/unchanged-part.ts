import { isDeepStrictEqual } from "node:util";

import type { ApiObject } from "@bowline/api";
import type { Change } from "@bowline/store";

/** Whether a change left the part of an object as it was that a watch is about. One of which nothing before is known may be any. */
export function isUnchanged(
  { type, object, previous }: Change,
  part: (object: ApiObject) => unknown,
): boolean {
  return type === "MODIFIED" && previous !== undefined && isDeepStrictEqual(part(object), part(previous));
}
