import { isRecord } from "@bowline/core";

import { isList, type JsonObject } from "../schema/json-value.ts";
import type { ListNode, SchemaNode } from "../schema/schema-node.ts";
import { emptySet, type FieldSet, node as setNode } from "./field-set.ts";
import { fieldElement, fieldOf, isDeclared, itemsByElement } from "./path-element.ts";

/** Every field a configuration mentions: what its manager will own. Fields the schema does not know are left out. */
export function toFieldSet(value: JsonObject, schema: SchemaNode): FieldSet {
  return fieldsBelow(value, schema);
}

function fieldsBelow(value: unknown, schema: SchemaNode): FieldSet {
  if (schema.kind === "list" && isList(value)) return itemsBelow(value, schema);
  if (!isRecord(value)) return emptySet;
  const result: Record<string, FieldSet> = {};
  for (const [name, child] of Object.entries(value)) {
    const known = fieldOf(schema, name);
    if (known === undefined) continue;
    // A key of a map exists because somebody put it there, so it is owned; a field of a type is always possible.
    const isMember = isOwnedWhole(child, known.node) || !isDeclared(schema, name);
    const entry = setNode(
      isMember,
      isOwnedWhole(child, known.node) ? emptySet : fieldsBelow(child, known.node),
    );
    if (entry !== undefined) result[fieldElement(name)] = entry;
  }
  return result;
}

function itemsBelow(items: readonly unknown[], schema: ListNode): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [element, item] of itemsByElement(schema, items) ?? []) {
    const below = isOwnedWhole(item, schema.items) ? emptySet : fieldsBelow(item, schema.items);
    result[element] = setNode(true, below) ?? emptySet;
  }
  return result;
}

function isOwnedWhole(value: unknown, schema: SchemaNode): boolean {
  if (schema.kind === "scalar") return true;
  if (schema.kind === "any") return schema.atomic === true || !isRecord(value);
  if (schema.kind !== "list") return schema.atomic === true;
  return schema.listType === "atomic" || (isList(value) && itemsByElement(schema, value) === undefined);
}
