import { isRecord } from "@bowline/core";

/** A parsed JSON object whose fields are not known. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value at a dotted path, or undefined where any step is missing. */
export function readPath(value: unknown, path: string): unknown {
  let current = value;
  for (const step of path.split(".")) {
    if (!isRecord(current)) return undefined;
    current = current[step];
  }
  return current;
}

export function readRecord(value: unknown, path: string): JsonRecord | undefined {
  const found = readPath(value, path);
  return isRecord(found) ? found : undefined;
}

export function readString(value: unknown, path: string): string | undefined {
  const found = readPath(value, path);
  return typeof found === "string" ? found : undefined;
}

/** A string that says something: the empty one counts as missing. */
export function readText(value: unknown, path: string): string | undefined {
  const found = readString(value, path);
  return found === "" ? undefined : found;
}

/** A string, number or boolean as text. */
export function readScalar(value: unknown, path: string): string | undefined {
  const found = readPath(value, path);
  return typeof found === "string" || typeof found === "number" || typeof found === "boolean"
    ? String(found)
    : undefined;
}

export function readNumber(value: unknown, path: string): number | undefined {
  const found = readPath(value, path);
  return typeof found === "number" ? found : undefined;
}

export function readRecords(value: unknown, path: string): readonly JsonRecord[] {
  const found = readPath(value, path);
  return Array.isArray(found) ? found.filter((item) => isRecord(item)) : [];
}

export function readStrings(value: unknown, path: string): readonly string[] {
  const found = readPath(value, path);
  return Array.isArray(found) ? found.filter((item) => typeof item === "string") : [];
}

/** A copy with the value at the dotted path replaced; everything off the path is shared with the original. */
export function withPath(value: JsonRecord, path: string, leaf: unknown): JsonRecord {
  const [step = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...value, [step]: leaf };
  const child = value[step];
  return { ...value, [step]: withPath(isRecord(child) ? child : {}, rest.join("."), leaf) };
}

/** Structural equality of JSON values; a field that is undefined counts as absent. Shared parts cost nothing. */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => deepEqual(item, right[index]))
    );
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  for (const key in left) if (!deepEqual(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
