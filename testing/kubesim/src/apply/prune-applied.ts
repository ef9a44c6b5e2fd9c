import type { JsonObject } from "../schema/json-value.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { difference, emptySet, type FieldSet, intersection, isEmpty, node, union } from "./field-set.ts";
import type { Managers } from "./managed-fields.ts";
import { removeFields } from "./merge-applied.ts";
import { fieldOf, isDeclared } from "./path-element.ts";
import { toFieldSet } from "./to-field-set.ts";

interface Pruning {
  readonly schema: SchemaNode;
  readonly managers: Managers;
  /** What the manager applied last time, and this time. */
  readonly last: FieldSet;
  readonly applied: FieldSet;
  readonly minorVersion: number;
}

/** Before this version, fields that the server had filled in outlived the object that they were filled into. */
const removesFilledIn = 21;

/** Removes what the manager applied last time, not this time, and what nobody else owns. */
export function pruneApplied(merged: JsonObject, pruning: Pruning): JsonObject {
  const { schema, managers, last, applied, minorVersion } = pruning;
  if (isEmpty(difference(last, applied))) return merged;
  const named = (set: FieldSet): FieldSet =>
    minorVersion >= removesFilledIn ? withDeclaredFields(set, schema) : set;
  const fieldsIn = (value: JsonObject): FieldSet => named(toFieldSet(value, schema));
  const owned = named(unionOfAll(managers));
  const present = fieldsIn(merged);
  const withoutLast = fieldsIn(removeFields(merged, named(last), schema));
  const kept = fieldsIn(removeFields(merged, difference(present, union(withoutLast, owned)), schema));
  return removeFields(merged, intersection(difference(present, kept), named(last)), schema);
}

function unionOfAll(managers: Managers): FieldSet {
  return [...managers.values()].reduce((all, { fields }) => union(all, fields), emptySet);
}

/** Whoever owns a field of an object in a declared field owns, with it, that field: `spec.strategy` with its `type`. */
function withDeclaredFields(set: FieldSet, schema: SchemaNode): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [element, below] of Object.entries(set)) {
    const name = element.startsWith("f:") ? element.slice(2) : undefined;
    const inside = nodeBelow(schema, name);
    const deeper = inside === undefined || isEmpty(below) ? below : withDeclaredFields(below, inside);
    const isNamed = name !== undefined && isDeclared(schema, name);
    result[element] = isNamed ? (node(true, deeper) ?? emptySet) : deeper;
  }
  return result;
}

function nodeBelow(schema: SchemaNode, name: string | undefined): SchemaNode | undefined {
  if (name !== undefined) return fieldOf(schema, name)?.node;
  return schema.kind === "list" ? schema.items : undefined;
}
