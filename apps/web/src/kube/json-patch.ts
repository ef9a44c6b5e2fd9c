import { isRecord } from "@bowline/core";

import { isSame } from "./change-patch.ts";
import { hasHiddenValue } from "./hidden-secret.ts";

/** One step of a JSON patch (RFC 6902). */
export type Operation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The smallest JSON patch that makes one object of another; empty when they are the same. Whatever it replaces or takes
 * away it tests first, so that it is refused where somebody else has changed that, and touches nothing beside it: a
 * container that was edited leaves the others as they are. Values that the page does not know are not tested.
 */
export function jsonPatch(before: JsonObject, after: JsonObject): Operation[] {
  return objectOperations(before, after, "");
}

/** The patch, refused when the object is not the one any more that it was made from. */
export function patchOfVersion(
  patch: readonly Operation[],
  resourceVersion: string | undefined,
): readonly Operation[] {
  if (resourceVersion === undefined) return patch;
  // Not a test: what is written with an old version is a conflict, and what fails a test is only invalid.
  return [...patch, { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion }];
}

function operations(before: unknown, after: unknown, path: string): Operation[] {
  if (isSame(before, after)) return [];
  if (isRecord(before) && isRecord(after)) return objectOperations(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return listOperations(before, after, path);
  return replaced(before, after, path);
}

function objectOperations(before: JsonObject, after: JsonObject, path: string): Operation[] {
  const gone = Object.keys(before)
    .filter((name) => !Object.hasOwn(after, name))
    .flatMap((name) => removed(before[name], below(path, name)));
  const others = Object.entries(after).flatMap(([name, value]): Operation[] => {
    const at = below(path, name);
    if (!Object.hasOwn(before, name)) return [{ op: "add", path: at, value }];
    return operations(before[name], value, at);
  });
  return [...gone, ...others];
}

function listOperations(before: readonly unknown[], after: readonly unknown[], path: string): Operation[] {
  const key = listKey(before, after);
  if (key !== undefined) return keyedOperations(before, after, { path, key });
  const shared = Math.min(before.length, after.length);
  const changed = before
    .slice(0, shared)
    .flatMap((item, index) => operations(item, after[index], below(path, index)));
  // From the end, so that no place moves before its turn.
  const gone = before
    .slice(shared)
    .map((item, index) => removed(item, below(path, shared + index)))
    .toReversed()
    .flat();
  const added = after
    .slice(shared)
    .map((value, index): Operation => ({ op: "add", path: below(path, shared + index), value }));
  return [...changed, ...gone, ...added];
}

/** Items that have names keep them: what becomes of one is said of that one, wherever it stands. */
function keyedOperations(
  before: readonly unknown[],
  after: readonly unknown[],
  { path, key }: { readonly path: string; readonly key: string },
): Operation[] {
  const idOf = (item: unknown): unknown => (isRecord(item) ? item[key] : undefined);
  const wanted = new Set(after.map(idOf));
  const kept = before.filter((item) => wanted.has(idOf(item)));
  const known = new Map(kept.map((item) => [idOf(item), item]));
  const isInOrder = isSame(
    after.map(idOf).filter((id) => known.has(id)),
    kept.map(idOf),
  );
  if (!isInOrder) return replaced(before, after, path);
  const gone = before
    .map((item, index) => (wanted.has(idOf(item)) ? [] : removed(item, below(path, index))))
    .toReversed()
    .flat();
  const others = after.flatMap((value, index): Operation[] => {
    const at = below(path, index);
    const id = idOf(value);
    if (!known.has(id)) return [{ op: "add", path: at, value }];
    const changes = operations(known.get(id), value, at);
    return changes.length === 0 ? [] : [...tested(id, below(at, key)), ...changes];
  });
  return [...gone, ...others];
}

/** Fields by which Kubernetes tells the items of lists apart, the most telling first. */
const keys = ["name", "mountPath", "containerPort", "port", "ip", "key", "type", "uid"];

/** The field that names every item of both lists, none of them twice; undefined where there is none. */
export function listKey(...lists: readonly (readonly unknown[])[]): string | undefined {
  return keys.find((key) =>
    lists.every((list) => {
      const ids = list.map((item) => (isRecord(item) && Object.hasOwn(item, key) ? item[key] : undefined));
      return (
        ids.every((id) => typeof id === "string" || typeof id === "number") &&
        new Set(ids).size === ids.length
      );
    }),
  );
}

function replaced(before: unknown, value: unknown, path: string): Operation[] {
  return [...tested(before, path), { op: "replace", path, value }];
}

function removed(before: unknown, path: string): Operation[] {
  return [...tested(before, path), { op: "remove", path }];
}

function tested(value: unknown, path: string): Operation[] {
  return hasHiddenValue(value) ? [] : [{ op: "test", path, value }];
}

function below(path: string, part: string | number): string {
  return `${path}/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
