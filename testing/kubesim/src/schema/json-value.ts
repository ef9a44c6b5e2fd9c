import { isRecord } from "@bowline/core";

/** A JSON object as it comes off the wire. Nothing about its fields is known before a schema has looked at it. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** An own field, so that `constructor` and friends are never mistaken for data. */
export function field(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Follows field names down from `value`; undefined as soon as one is missing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isRecord(current)) return undefined;
    current = field(current, key);
  }
  return current;
}

/** Equality of JSON values; the order of an object's fields does not count. */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isList(left)) return isList(right) && listsEqual(left, right);
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]))
  );
}

function listsEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));
}

/** The word a schema or Go would use for the type of a value. */
export function jsonTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (isList(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
