import { keyOf, objectKey } from "./object-key.ts";
import type { ObjectLike } from "./object-like.ts";

/**
 * Which keys have to be looked at because of an object. For a change it is asked about the object before and after, so
 * that what an object no longer belongs to is looked at as well.
 */
export type EventHandler<T> = (object: T) => Iterable<string>;

/** The object itself. */
export function enqueueSelf<T extends ObjectLike>(): EventHandler<T> {
  return (object) => [keyOf(object)];
}

export interface OwnerKind {
  /** The API group, without version: owners may be written in any version of theirs. Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Owners of this kind have no namespace. */
  readonly clusterScoped?: boolean;
  /** Any owner of that kind, not only the one that controls the object. */
  readonly anyOwner?: boolean;
}

/** The owner of that kind: for a controller that creates objects and wants to know what becomes of them. */
export function enqueueOwner<T extends ObjectLike>(owner: OwnerKind): EventHandler<T> {
  const { group, kind, clusterScoped = false, anyOwner = false } = owner;
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((each) => each.kind === kind && groupOf(each.apiVersion) === group)
      .filter((each) => anyOwner || each.controller === true)
      // An owner lives in the namespace of what it owns, or in none.
      .map(({ name }) => objectKey(clusterScoped ? { name } : { ...metadata, name }));
}

/** Whatever keys a function finds: for objects that refer to others by name or label. */
export function enqueueMapped<T>(map: (object: T) => Iterable<string>): EventHandler<T> {
  return map;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
