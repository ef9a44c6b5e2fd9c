/** Something that JSON cannot hold, and where: the number of the object from 1, and the way to it. */
export interface JsonProblem {
  readonly object: number;
  readonly path: readonly (string | number)[];
  /** `a Date, which is no JSON`. */
  readonly what: string;
}

const maxDepth = 100;

/**
 * The first thing in a list of objects that JSON cannot hold; undefined when there is none. `JSON.stringify` would leave
 * functions out, write NaN as null and make text of dates, and nobody would know.
 */
export function jsonProblem(objects: readonly unknown[]): JsonProblem | undefined {
  for (const [index, value] of objects.entries()) {
    const object = index + 1;
    if (!isPlain(value)) return { object, path: [], what: "something without apiVersion, kind and metadata" };
    const found = problemIn(value, []);
    if (found !== undefined) return { object, ...found };
  }
  return undefined;
}

type Found = Omit<JsonProblem, "object">;

function problemIn(value: unknown, path: readonly (string | number)[]): Found | undefined {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") {
    return undefined;
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : { path, what: `${value}, which is no JSON` };
  }
  if (typeof value !== "object") return { path, what: `a ${typeof value}, which is no JSON` };
  if (path.length >= maxDepth) return { path: [], what: `more than ${maxDepth} levels, or itself` };
  if (!Array.isArray(value) && !isPlain(value))
    return { path, what: `a ${classOf(value)}, which is no JSON` };
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [key, item] of entries) {
    const found = problemIn(item, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `Date` of `[object Date]`. */
function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
