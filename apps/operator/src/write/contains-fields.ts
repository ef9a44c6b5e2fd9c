import { isRecord, parseQuantity } from "@bowline/core";

/**
 * Whether `live` has everything that `wanted` says. What the server and other managers added does not matter: defaults,
 * a sidecar beside our containers, an annotation of somebody else. Entries of lists that have names are compared by
 * name, as server-side apply does; other lists must agree entry by entry.
 */
export function containsFields(live: unknown, wanted: unknown): boolean {
  if (live === wanted) return true;
  // The server leaves out what says nothing.
  if (live === undefined || live === null) return isZero(wanted);
  if (Array.isArray(wanted)) return Array.isArray(live) && containsList(live, wanted);
  if (!isRecord(wanted) || !isRecord(live)) return isSameQuantity(live, wanted);
  return Object.entries(wanted).every(([key, value]) => containsFields(fieldOf(live, key), value));
}

function containsList(live: readonly unknown[], wanted: readonly unknown[]): boolean {
  const names = wanted.map(nameOf);
  if (names.length === 0 || names.includes(undefined))
    return live.length === wanted.length && wanted.every((each, index) => containsFields(live[index], each));
  return wanted.every((each, index) =>
    containsFields(
      live.find((candidate) => nameOf(candidate) === names[index]),
      each,
    ),
  );
}

/** The server writes `1` for `1000m` and `1Gi` for `1024Mi`. */
function isSameQuantity(one: unknown, other: unknown): boolean {
  const amount = parseQuantity(one);
  return amount !== undefined && amount === parseQuantity(other);
}

function nameOf(value: unknown): string | undefined {
  const name = isRecord(value) ? fieldOf(value, "name") : undefined;
  return typeof name === "string" ? name : undefined;
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.values(value).every(isZero);
  return value === undefined || value === null || value === "" || value === false || value === 0;
}

function fieldOf(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
