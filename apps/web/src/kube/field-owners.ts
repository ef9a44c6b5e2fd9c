import { isRecord } from "@bowline/core";
import { arrayOf, recordOf, textOf, type KubeObject } from "@bowline/kube/shapes";

import type { Path } from "./change-patch.ts";

/** Somebody who has written a field, by what the cluster keeps in `managedFields`. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  /** Missing for the object itself. */
  readonly subresource?: string;
}

/** Who owns the value at a path of an object: those who own it, something in it, or the list or map that it is in whole. */
export function ownersOf(object: KubeObject, path: Path): FieldOwner[] {
  return arrayOf(object.metadata.managedFields).flatMap((value) => {
    const entry = recordOf(value) ?? {};
    const manager = textOf(entry["manager"]);
    const fields = recordOf(entry["fieldsV1"]);
    if (manager === undefined || fields === undefined || !owns(fields, object, path)) return [];
    const subresource = textOf(entry["subresource"]);
    const operation = textOf(entry["operation"]) ?? "Update";
    return [{ manager, operation, ...(subresource === undefined ? {} : { subresource }) }];
  });
}

/**
 * Follows a path through a tree of fields: `f:name` is a field, `k:{…}` the item of a list that has these keys, `v:…` an
 * item by its value, `i:0` by its place. A tree that ends on the way owns all that is below.
 */
function owns(fields: Readonly<Record<string, unknown>>, value: unknown, path: Path): boolean {
  const [part, ...rest] = path;
  if (part === undefined) return true;
  const names = Object.keys(fields).filter((name) => name !== ".");
  if (names.length === 0) return true;
  const inner = typeof part === "number" ? arrayOf(value)[part] : recordOf(value)?.[part];
  const name = names.find((candidate) =>
    typeof part === "number" ? isItem(candidate, inner, part) : candidate === `f:${part}`,
  );
  return name !== undefined && owns(recordOf(fields[name]) ?? {}, inner, rest);
}

function isItem(name: string, item: unknown, index: number): boolean {
  if (name === `i:${index}`) return true;
  const given = parsed(name.slice(2));
  if (name.startsWith("v:")) return given === item;
  if (!name.startsWith("k:") || !isRecord(given)) return false;
  return isRecord(item) && Object.entries(given).every(([key, value]) => item[key] === value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
