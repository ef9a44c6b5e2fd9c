import { isRecord } from "@bowline/core";

import { deepEqual, field, isList, type JsonObject } from "../schema/json-value.ts";
import type { ListNode, SchemaNode } from "../schema/schema-node.ts";
import { isLeaf } from "./compare.ts";
import { type FieldSet, has, isEmpty } from "./field-set.ts";
import { fieldElement, fieldOf, itemElement, itemsByElement } from "./path-element.ts";

/**
 * Lays an applied configuration over the live object. Nothing is removed; where both say something, the applied wins.
 * What does not change stays the same value in memory, so that comparing the two is quick.
 */
export function mergeApplied(live: JsonObject, applied: JsonObject, schema: SchemaNode): JsonObject {
  const changed: [string, unknown][] = [];
  for (const [name, value] of Object.entries(applied)) {
    const known = fieldOf(schema, name);
    if (known === undefined || value === null) continue;
    const old = field(live, name);
    const merged = mergeValue(old, value, known.node);
    if (merged !== old) changed.push([name, merged]);
  }
  return changed.length === 0 ? live : Object.fromEntries([...Object.entries(live), ...changed]);
}

function mergeValue(live: unknown, applied: unknown, schema: SchemaNode): unknown {
  if (live === undefined || live === null || isLeaf(live, applied, schema)) {
    return deepEqual(live, applied) ? live : applied;
  }
  if (schema.kind === "list" && isList(live) && isList(applied)) return mergeItems(live, applied, schema);
  return isRecord(live) && isRecord(applied) ? mergeApplied(live, applied, schema) : applied;
}

/** Live items keep their places, new ones follow. */
function mergeItems(
  live: readonly unknown[],
  applied: readonly unknown[],
  schema: ListNode,
): readonly unknown[] {
  const merged = new Map(itemsByElement(schema, live));
  for (const [element, item] of itemsByElement(schema, applied) ?? []) {
    merged.set(element, merged.has(element) ? mergeValue(merged.get(element), item, schema.items) : item);
  }
  const items = [...merged.values()];
  return items.length === live.length && items.every((item, index) => item === live[index]) ? live : items;
}

/** Takes the fields of a set out of an object. What is empty after that goes too. */
export function removeFields(value: JsonObject, unwanted: FieldSet, schema: SchemaNode): JsonObject {
  if (isEmpty(unwanted)) return value;
  const kept: [string, unknown][] = [];
  for (const [name, child] of Object.entries(value)) {
    const element = fieldElement(name);
    if (has(unwanted, [element])) continue;
    const left = removeBelow(child, unwanted[element], fieldOf(schema, name)?.node);
    if (left !== undefined) kept.push([name, left]);
  }
  return Object.fromEntries(kept);
}

function removeBelow(
  value: unknown,
  unwanted: FieldSet | undefined,
  schema: SchemaNode | undefined,
): unknown {
  if (unwanted === undefined || schema === undefined) return value;
  if (schema.kind === "list" && isList(value)) {
    const left = removeItems(value, unwanted, schema);
    return left.length === 0 ? undefined : left;
  }
  if (!isRecord(value)) return value;
  const left = removeFields(value, unwanted, schema);
  return Object.keys(left).length === 0 ? undefined : left;
}

function removeItems(items: readonly unknown[], unwanted: FieldSet, schema: ListNode): unknown[] {
  return items.flatMap((item) => {
    const element = itemElement(schema, item);
    if (element === undefined) return [item];
    if (has(unwanted, [element])) return [];
    const left = removeBelow(item, unwanted[element], schema.items);
    return left === undefined ? [] : [left];
  });
}
