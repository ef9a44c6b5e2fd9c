import { initialStatus, type Kind } from "@bowline/api";

import type { DesiredWrite } from "@bowline/store";
import { tokenHash, tokenPrefix } from "./token-secret.ts";

/** A Token as it is to be written: its secret is kept as a hash. */
export function tokenWrite<K extends Kind>(
  kind: K,
  desired: DesiredWrite<K>,
  secret: string,
): DesiredWrite<K> {
  const status = { ...initialStatus(kind), prefix: tokenPrefix(secret) };
  return { ...desired, status, lookupKey: tokenHash(secret) };
}
