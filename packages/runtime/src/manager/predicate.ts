import type { ObjectLike } from "./object-key.ts";

/** A choice of the events that matter. One that is left out matters always. */
export interface Predicate<T> {
  create?(object: T): boolean;
  update?(before: T, after: T): boolean;
  delete?(object: T): boolean;
}

/**
 * Changes of what is desired: the spec, or the wish to be deleted. Changes of status, labels and annotations are passed
 * over, so a controller does not wake itself by writing status. Only for kinds whose generation the API server counts.
 */
export function generationChanged<T extends ObjectLike>(): Predicate<T> {
  return {
    update: (before, after) =>
      before.metadata.generation !== after.metadata.generation ||
      before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp,
  };
}

export function labelsChanged<T extends ObjectLike>(): Predicate<T> {
  return { update: (before, after) => !sameEntries(before.metadata.labels, after.metadata.labels) };
}

export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return {
    create: (object) => predicates.every((each) => each.create?.(object) ?? true),
    update: (before, after) => predicates.every((each) => each.update?.(before, after) ?? true),
    delete: (object) => predicates.every((each) => each.delete?.(object) ?? true),
  };
}

export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return {
    create: (object) => predicates.some((each) => each.create?.(object) ?? true),
    update: (before, after) => predicates.some((each) => each.update?.(before, after) ?? true),
    delete: (object) => predicates.some((each) => each.delete?.(object) ?? true),
  };
}

function sameEntries(
  one: Readonly<Record<string, string>> = {},
  other: Readonly<Record<string, string>> = {},
): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  );
}
