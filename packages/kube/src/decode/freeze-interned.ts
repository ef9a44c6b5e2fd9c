import type { StringInterner } from "./string-interner.ts";

/**
 * Makes a value fit to be kept and shared: its strings are interned and it can no longer be changed, so that one
 * handler cannot alter what the others see. Works in place and only on plain objects and lists; instances of classes
 * belong to the caller.
 */
export function freezeInterned<T>(value: T, interner: StringInterner): T {
  if (Array.isArray(value)) freezeList(value, interner);
  else if (isPlainObject(value)) freezeObject(value, interner);
  return value;
}

function freezeList(list: unknown[], interner: StringInterner): void {
  if (Object.isFrozen(list)) return;
  for (let index = 0; index < list.length; index++) {
    const element = list[index];
    if (typeof element === "string") list[index] = interner.intern(element);
    else freezeInterned(element, interner);
  }
  Object.freeze(list);
}

function freezeObject(object: Record<string, unknown>, interner: StringInterner): void {
  // A projection may hold parts that are already shared; those are done.
  if (Object.isFrozen(object)) return;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value === "string") object[key] = interner.intern(value);
    else freezeInterned(value, interner);
  }
  Object.freeze(object);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
