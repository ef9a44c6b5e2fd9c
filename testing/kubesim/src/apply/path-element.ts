import { isRecord } from "@bowline/core";

import { field, type JsonObject } from "../schema/json-value.ts";
import type { FieldNode, ListNode, SchemaNode } from "../schema/schema-node.ts";

/** One step from an object to a field of it, as FieldsV1 writes it. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/**
 * The step from a list to one of its items: by the item's keys or by its value. Undefined where the item has no
 * such identity, because a key is missing and has no default.
 */
export function itemElement(list: ListNode, item: unknown): string | undefined {
  if (list.listType === "set") {
    return typeof item === "object" ? undefined : `v:${JSON.stringify(item)}`;
  }
  if (!isRecord(item)) return undefined;
  let keys = "";
  for (const key of sortedKeys(list)) {
    const value = field(item, key) ?? fieldOf(list.items, key)?.default;
    if (value === undefined) return undefined;
    keys += `${keys === "" ? "" : ","}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  return `k:{${keys}}`;
}

const keysInOrder = new WeakMap<ListNode, readonly string[]>();

function sortedKeys(list: ListNode): readonly string[] {
  const known = keysInOrder.get(list);
  if (known !== undefined) return known;
  const keys = list.keys.toSorted();
  keysInOrder.set(list, keys);
  return keys;
}

/** The items by their step, or undefined if they cannot be told apart. */
export function itemsByElement(list: ListNode, items: readonly unknown[]): Map<string, unknown> | undefined {
  const result = new Map<string, unknown>();
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined || result.has(element)) return undefined;
    result.set(element, item);
  }
  return result;
}

/** What the schema says of a field of an object or map. */
export function fieldOf(node: SchemaNode, name: string): FieldNode | undefined {
  if (node.kind === "any") return anyField;
  if (node.kind === "map") return { node: node.values };
  if (node.kind !== "object") return undefined;
  return node.fields.get(name) ?? (node.preserveUnknown === true ? anyField : undefined);
}

/** Whether a field is one of its type, and no key that somebody has put into a map. */
export function isDeclared(schema: SchemaNode, name: string): boolean {
  return schema.kind === "object" && schema.fields.has(name);
}

const anyField: FieldNode = { node: { kind: "any" } };

/** A path the way conflicts print it: `.spec.containers[name="web"].image`. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join("");
}

function printElement(element: string): string {
  const content = element.slice(2);
  switch (element.slice(0, 2)) {
    case "f:":
      return `.${content}`;
    case "k:":
      return `[${printKeys(JSON.parse(content))}]`;
    case "v:":
      return `[=${content}]`;
    default:
      return `[${content}]`;
  }
}

function printKeys(keys: JsonObject): string {
  return Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",");
}
