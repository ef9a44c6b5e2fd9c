import { formatPath, isRecord, shortened, type PathPart } from "@bowline/core";

const longestValue = 80;

/** Where two JSON values differ first, with both values: `objects[1].metadata.name is "a" and "b"`. Undefined if nowhere. */
export function firstDifference(
  before: unknown,
  after: unknown,
  path: readonly PathPart[] = [],
): string | undefined {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
    return firstOf(keys.map((key) => () => firstDifference(before[key], after[key], [...path, key])));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    const indexes = Array.from({ length }, (_, index) => index);
    return firstOf(
      indexes.map((index) => () => firstDifference(before[index], after[index], [...path, index])),
    );
  }
  if (Object.is(before, after)) return undefined;
  return `${formatPath(path)} is ${shown(before)} and ${shown(after)}`;
}

function firstOf(questions: readonly (() => string | undefined)[]): string | undefined {
  for (const ask of questions) {
    const found = ask();
    if (found !== undefined) return found;
  }
  return undefined;
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : shortened(JSON.stringify(value), longestValue);
}
