import { isRecord } from "@bowline/core";

import { valueAt } from "./read-facts.ts";

/** The part of an object that facts keep, as a tree of the same shape. Nothing that a mask does not name is copied. */
export type Mask =
  | { readonly keeps: "scalar"; readonly chars: number }
  /** That there is an object, and nothing of what is in it. */
  | { readonly keeps: "presence" }
  | { readonly keeps: "list"; readonly item: Mask; readonly options: ListOptions }
  | { readonly keeps: "fields"; readonly fields: Readonly<Record<string, Mask>> };

interface ListOptions {
  /** Items that facts hold at most; `cut` has the number there were. */
  readonly limit: number;
  /** Urgent items are kept before others when there are too many. */
  readonly isUrgent?: (item: unknown) => boolean;
}

/** A word or name. Numbers and booleans are kept as they are. */
export const word: Mask = { keeps: "scalar", chars: 128 };

/** A message for people. */
export const text: Mask = { keeps: "scalar", chars: 512 };

export const presence: Mask = { keeps: "presence" };

export function fields(of: Readonly<Record<string, Mask>>): Mask {
  return { keeps: "fields", fields: of };
}

export function list(item: Mask, options: ListOptions = { limit: 32 }): Mask {
  return { keeps: "list", item, options };
}

/** How many items a list had that is shorter in the facts, by its path. */
export type Cut = Record<string, number>;

/** The part of a value that a mask keeps; undefined if it keeps nothing. */
export function project(value: unknown, mask: Mask, path: string, cut: Cut): unknown {
  if (mask.keeps === "scalar") return keepScalar(value, mask.chars);
  if (mask.keeps === "list") return Array.isArray(value) ? projectList(value, mask, path, cut) : undefined;
  if (!isRecord(value)) return undefined;
  return mask.keeps === "presence" ? {} : projectFields(value, mask.fields, path, cut);
}

/** Control characters go, which JSON would write six times as long and no reader needs. */
export function keepScalar(value: unknown, chars: number): string | number | boolean | undefined {
  if (typeof value === "string")
    return value
      .slice(0, chars)
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " ");
  if (typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function projectList(
  items: readonly unknown[],
  { item: mask, options }: Extract<Mask, { keeps: "list" }>,
  path: string,
  cut: Cut,
): unknown[] {
  if (items.length > options.limit) cut[path] = items.length;
  return firstItems(items, options)
    .map((item) => project(item, mask, `${path}[]`, cut))
    .filter((item) => item !== undefined);
}

function firstItems(items: readonly unknown[], { limit, isUrgent }: ListOptions): readonly unknown[] {
  if (items.length <= limit || isUrgent === undefined) return items.slice(0, limit);
  return [...items.filter(isUrgent), ...items.filter((item) => !isUrgent(item))].slice(0, limit);
}

function projectFields(
  value: Readonly<Record<string, unknown>>,
  masks: Readonly<Record<string, Mask>>,
  path: string,
  cut: Cut,
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(masks).flatMap(([name, mask]) => {
    const part = project(valueAt(value, name), mask, `${path}.${name}`, cut);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(kept);
}
