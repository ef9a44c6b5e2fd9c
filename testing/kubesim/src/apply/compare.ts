import { isRecord } from "@bowline/core";

import { deepEqual, field, isList, type JsonObject } from "../schema/json-value.ts";
import type { FieldNode, ScalarNode, SchemaNode } from "../schema/schema-node.ts";
import { emptySet, type FieldSet, isEmpty, node as setNode } from "./field-set.ts";
import { fieldElement, fieldOf, itemsByElement } from "./path-element.ts";

/** The fields that differ between two states of an object. No field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const same: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** Compares two objects. Parts that are the same value in memory are skipped, so a small change is cheap to find. */
export function compare(before: JsonObject, after: JsonObject, schema: SchemaNode): Comparison {
  if (before === after) return same;
  const differences = new Differences();
  compareFields(before, after, { schema, differences });
  return differences.toComparison();
}

/** Collects the differences below one path. */
class Differences {
  private readonly added: Record<string, FieldSet> = {};
  private readonly modified: Record<string, FieldSet> = {};
  private readonly removed: Record<string, FieldSet> = {};

  visit(element: string, before: unknown, after: unknown, schema: SchemaNode): void {
    if (before === after) return;
    const below = isWhole(before, after, schema) ? undefined : differencesBelow(before, after, schema);
    if (below === undefined) {
      this.markLeaf(element, before, after);
      return;
    }
    put(this.added, element, setNode(before === undefined, below.added));
    put(this.modified, element, setNode(false, below.modified));
    put(this.removed, element, setNode(after === undefined, below.removed));
  }

  private markLeaf(element: string, before: unknown, after: unknown): void {
    if (before === undefined) this.added[element] = emptySet;
    else if (after === undefined) this.removed[element] = emptySet;
    else if (!deepEqual(before, after)) this.modified[element] = emptySet;
  }

  toComparison(): Comparison {
    return { added: this.added, modified: this.modified, removed: this.removed };
  }
}

function put(target: Record<string, FieldSet>, element: string, set: FieldSet | undefined): void {
  if (set !== undefined) target[element] = set;
}

/** Undefined for lists whose items cannot be told apart: those can only be compared as a whole. */
function differencesBelow(before: unknown, after: unknown, schema: SchemaNode): Differences | undefined {
  const differences = new Differences();
  if (schema.kind !== "list") {
    compareFields(before, after, { schema, differences });
    return differences;
  }
  const old = itemsByElement(schema, asList(before));
  const current = itemsByElement(schema, asList(after));
  if (old === undefined || current === undefined) return undefined;
  for (const [element, item] of old) differences.visit(element, item, current.get(element), schema.items);
  for (const [element, item] of current) {
    if (!old.has(element)) differences.visit(element, undefined, item, schema.items);
  }
  return differences;
}

interface Level {
  readonly schema: SchemaNode;
  readonly differences: Differences;
}

function compareFields(before: unknown, after: unknown, level: Level): void {
  const old = asObject(before);
  for (const name of Object.keys(old)) compareField(name, before, after, level);
  for (const name of Object.keys(asObject(after))) {
    if (!Object.hasOwn(old, name)) compareField(name, before, after, level);
  }
}

function compareField(name: string, before: unknown, after: unknown, { schema, differences }: Level): void {
  const known = fieldOf(schema, name);
  if (known === undefined) return;
  const old = fieldValue(before, name, known);
  const current = fieldValue(after, name, known);
  if (old !== current) differences.visit(fieldElement(name), old, current, known.node);
}

/** Whether the value is owned as a whole. Empty objects and lists are, and lists whose items have no identity. */
export function isLeaf(before: unknown, after: unknown, schema: SchemaNode): boolean {
  if (isWhole(before, after, schema)) return true;
  if (schema.kind !== "list") return false;
  return [before, after].some((list) => itemsByElement(schema, asList(list)) === undefined);
}

function isWhole(before: unknown, after: unknown, schema: SchemaNode): boolean {
  if (schema.kind === "scalar") return true;
  if (isBlank(before) && isBlank(after)) return true;
  if (schema.kind === "any") return schema.atomic === true || isList(before) || isList(after);
  return schema.kind === "list" ? schema.listType === "atomic" : schema.atomic === true;
}

/**
 * The server's own types write some fields even when nobody set them. To compare, such a field of an object that is
 * there is never missing, only empty; otherwise whoever writes a status first would also own that there is one.
 */
function fieldValue(object: unknown, name: string, { node, always, required }: FieldNode): unknown {
  if (!isRecord(object)) return undefined;
  const value = field(object, name) ?? undefined;
  if (value !== undefined || (always !== true && required !== true)) return value;
  if (node.kind === "object") return node.atomic === true ? null : emptyObject;
  return node.kind === "scalar" ? zeroOf(node) : null;
}

function zeroOf({ type }: ScalarNode): unknown {
  if (type === "int32" || type === "int64" || type === "number") return 0;
  if (type === "bool") return false;
  return type === "string" ? "" : null;
}

const emptyObject: JsonObject = {};

/** Absent, null, or without anything in it. */
function isBlank(value: unknown): boolean {
  if (isList(value)) return value.length === 0;
  if (!isRecord(value)) return true;
  for (const _ in value) return false;
  return true;
}

function asObject(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}
