import { isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube/shapes";

type JsonObject = Readonly<Record<string, unknown>>;

export type Path = readonly (string | number)[];

/** The deepest paths at which two values differ. Items of lists are told apart by their place. */
export function changedPaths(before: unknown, after: unknown, path: Path = []): Path[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      changedPaths(has(before, key) ? before[key] : undefined, has(after, key) ? after[key] : undefined, [
        ...path,
        key,
      ]),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => changedPaths(before[at], after[at], [...path, at])).flat();
  }
  return isSame(before, after) ? [] : [path];
}

/** `spec.containers[0].image`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const isPlain = /^[\w-]+$/u.test(part);
    if (!isPlain) return `${text}[${JSON.stringify(part)}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** Fields that only the cluster writes: nobody means them when they edit an object. */
const ownedByCluster = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
  "managedFields",
]);

/** What of an object can be edited. */
export function editablePart(object: KubeObject): JsonObject {
  const { apiVersion, kind, metadata, ...fields } = object;
  const kept = Object.entries(metadata).filter(([name]) => !ownedByCluster.has(name));
  const others = Object.entries(fields).filter(([name]) => name !== "status");
  return { apiVersion, kind, metadata: Object.fromEntries(kept), ...Object.fromEntries(others) };
}

/** The same value with its fields in the order of another, so that a difference of their texts is one of values. */
export function orderedLike(value: unknown, example: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => orderedLike(item, Array.isArray(example) ? example[index] : undefined));
  }
  if (!isRecord(value)) return value;
  const order = isRecord(example) ? example : {};
  const names = [...Object.keys(order).filter((name) => has(value, name)), ...Object.keys(value)];
  return Object.fromEntries(
    [...new Set(names)].map((name) => [
      name,
      orderedLike(value[name], has(order, name) ? order[name] : undefined),
    ]),
  );
}

function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key);
}

/** Whether two values are the same, whatever the order of their fields. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (isRecord(a) && isRecord(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => has(b, name) && isSame(a[name], b[name]))
    );
  }
  return Object.is(a, b);
}
