import { isRecord, type PathPart } from "@bowline/core";
import type { ManagedFieldsEntry } from "@bowline/kube";

import { hasKey } from "./field-path.ts";

/** Fields as `managedFields` has them: `f:spec`, `k:{"name":"web"}`, `v:"value"`; `.` stands for the object itself. */
export type FieldTree = Readonly<Record<string, unknown>>;

export function isApplyOf(entry: ManagedFieldsEntry, manager: string): boolean {
  return entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "";
}

/** Whether the fields that a manager owns include one of an object. A field that is owned as a whole includes all below. */
export function ownsField(tree: FieldTree, object: unknown, path: readonly PathPart[]): boolean {
  const [part, ...rest] = path;
  const below = Object.keys(tree).filter((key) => key !== ".");
  if (part === undefined || below.length === 0) return true;
  const child: unknown = Array.isArray(object)
    ? object[Number(part)]
    : isRecord(object)
      ? object[part]
      : undefined;
  const key = Array.isArray(object)
    ? below.find((candidate) => isItemKey(candidate, child, Number(part)))
    : `f:${part}`;
  const next = key === undefined ? undefined : tree[key];
  return isRecord(next) && ownsField(next, child, rest);
}

export function isItemKey(key: string, item: unknown, index: number): boolean {
  if (key === `i:${index}`) return true;
  const value = parsed(key.slice(2));
  if (key.startsWith("v:")) return value === item;
  if (!key.startsWith("k:") || !isRecord(value) || !isRecord(item)) return false;
  return Object.entries(value).every(([name, wanted]) => hasKey(item, name, wanted));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text of a hostile or broken server: it is no key of any item.
    return undefined;
  }
}

/** The fields of a tree that another does not have; undefined when none is left. */
export function withoutFields(tree: FieldTree, others: FieldTree): FieldTree | undefined {
  const left: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(tree)) {
    const other = others[key];
    const below = isRecord(value) ? value : {};
    if (!isRecord(other)) left[key] = below;
    else if (Object.keys(below).length > 0) {
      const rest = withoutFields(below, other);
      if (rest !== undefined) left[key] = rest;
    }
  }
  const isOnlyItself = Object.keys(left).every((key) => key === ".");
  return isOnlyItself ? undefined : left;
}

export function unionOfFields(one: FieldTree, other: FieldTree): FieldTree {
  const all: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = all[key];
    all[key] = isRecord(known) && isRecord(value) ? unionOfFields(known, value) : value;
  }
  return all;
}
