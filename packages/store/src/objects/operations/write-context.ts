import type { Kind } from "@bowline/api";

import type { KeyRing } from "../../secrets/key-ring.ts";

/** What every operation on objects needs. */
export interface WriteContext {
  readonly keys: KeyRing;
  readonly newId: () => string;
  /** Every kind that objects may be of. */
  readonly kinds: readonly Kind[];
}
