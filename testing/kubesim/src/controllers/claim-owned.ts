import type { SimObject } from "../store/sim-api.ts";
import type { LabelSelector } from "./kinds/meta.ts";
import { matchesSelector } from "./label-selector.ts";
import type { Index, Resource } from "./loop/resource.ts";
import { adopted, orphanKey, released } from "./owner-references.ts";

export interface Claimable<T extends SimObject> {
  readonly resource: Resource<T>;
  readonly byOwner: Index<T>;
}

/**
 * The objects an owner manages. Orphans that its selector matches are taken in; what its selector no longer matches is
 * let go. An owner on its way out does neither.
 */
export function claimOwned<T extends SimObject>(
  owner: SimObject,
  selector: LabelSelector,
  { resource, byOwner }: Claimable<T>,
): T[] {
  const owned = byOwner.get(owner.metadata.uid);
  if (owner.metadata.deletionTimestamp !== undefined) return owned;
  const claimed: T[] = [];
  for (const object of owned) {
    if (matchesSelector(selector, object.metadata.labels)) claimed.push(object);
    else if (object.metadata.deletionTimestamp === undefined) resource.update(released(object, owner));
  }
  for (const orphan of byOwner.get(orphanKey(owner.metadata.namespace))) {
    if (orphan.metadata.deletionTimestamp !== undefined) continue;
    if (!matchesSelector(selector, orphan.metadata.labels)) continue;
    claimed.push(resource.update(adopted(orphan, owner)));
  }
  return claimed;
}
