import { isRecord } from "@bowline/core";

/** A place where two people have written something different since both had read the same. */
export interface ChangedField {
  /** Names of fields with dots between; lists are one field. */
  readonly path: string;
  readonly base: unknown;
  readonly yours: unknown;
  readonly theirs: unknown;
  /** Whether both changed it, to different values: one of them has to give way. */
  readonly isContested: boolean;
}

/** Every field that you or they have changed, in order. */
export function changedFields(base: unknown, yours: unknown, theirs: unknown, path = ""): ChangedField[] {
  if (isRecord(yours) && isRecord(theirs)) {
    const before = isRecord(base) ? base : {};
    const names = new Set([before, yours, theirs].flatMap((side) => Object.keys(side)));
    return [...names]
      .toSorted()
      .flatMap((name) =>
        changedFields(before[name], yours[name], theirs[name], path === "" ? name : `${path}.${name}`),
      );
  }
  const isMine = !isSame(base, yours);
  const isTheirs = !isSame(base, theirs);
  if (!isMine && !isTheirs) return [];
  return [{ path, base, yours, theirs, isContested: isMine && isTheirs && !isSame(yours, theirs) }];
}

/** Theirs, with what you changed on top: where both changed a field, yours stands. */
export function mergedOver(base: unknown, yours: unknown, theirs: unknown): unknown {
  if (isRecord(yours) && isRecord(theirs)) {
    const before = isRecord(base) ? base : {};
    const names = new Set([...Object.keys(theirs), ...Object.keys(yours)]);
    const merged = [...names].map((name) => [name, mergedOver(before[name], yours[name], theirs[name])]);
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  }
  return isSame(base, yours) ? theirs : yours;
}

/** By their JSON, with the names of fields in order. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}
