import type { Kind } from "@bowline/api";
import { hasCode } from "@bowline/core";

import type { Access, Identity } from "@bowline/auth";

/**
 * The kinds whose objects an identity may not see, or not all of them. Events name objects, and do not say whose those
 * are, so it sees none of their events.
 */
export function hiddenKinds(
  access: Pick<Access, "allow" | "visible">,
  identity: Identity,
  kinds: readonly Kind[],
): string[] {
  return kinds
    .filter((kind) => !mayList(access, identity, kind) || access.visible(identity, kind).length > 0)
    .map((kind) => kind.kind);
}

function mayList(access: Pick<Access, "allow">, identity: Identity, kind: Kind): boolean {
  try {
    access.allow(identity, "list", kind);
    return true;
  } catch (error) {
    if (hasCode(error, "Forbidden")) return false;
    throw error;
  }
}
