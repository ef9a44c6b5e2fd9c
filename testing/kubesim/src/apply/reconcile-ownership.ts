import { isRecord } from "@bowline/core";

import { field, isList, type JsonObject } from "../schema/json-value.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { emptySet, type FieldSet, isEmpty, union } from "./field-set.ts";
import type { Managers } from "./managed-fields.ts";
import { fieldOf, itemElement } from "./path-element.ts";
import { toFieldSet } from "./to-field-set.ts";

/**
 * Before every write the server brings the stored ownership in line with the schema. A manager that owns a map or a
 * list but nothing in it looks as if it came from a time when that was owned as a whole, so it is given all of it.
 */
export function reconcileOwnership(managers: Managers, live: JsonObject, schema: SchemaNode): Managers {
  let changed = false;
  const result = new Map(managers);
  for (const [identity, manager] of managers) {
    if (!mayNeedIt(manager.fields, schema)) continue;
    const fields = reconcile(manager.fields, live, schema);
    if (fields === manager.fields) continue;
    changed = true;
    result.set(identity, { ...manager, fields });
  }
  return changed ? result : managers;
}

/** Whether a set owns a map or list as if it were one value. Sets live long, so the answer is kept. */
function mayNeedIt(set: FieldSet, schema: SchemaNode): boolean {
  const known = answers.get(set);
  if (known?.schema === schema) return known.answer;
  const answer = Object.entries(set).some(([element, below]) => {
    const child = element === "." ? undefined : schemaBelow(element, schema);
    if (child === undefined) return false;
    return isEmpty(below) ? isGranular(child) : mayNeedIt(below, child);
  });
  answers.set(set, { schema, answer });
  return answer;
}

const answers = new WeakMap<FieldSet, { readonly schema: SchemaNode; readonly answer: boolean }>();

function reconcile(set: FieldSet, value: unknown, schema: SchemaNode): FieldSet {
  let result = set;
  for (const [element, below] of Object.entries(set)) {
    const known = element === "." ? undefined : schemaBelow(element, schema);
    if (known === undefined || !(isEmpty(below) ? isGranular(known) : mayNeedIt(below, known))) continue;
    const child = { value: childOf(value, element, schema), schema: known };
    const reconciled = isEmpty(below) ? everythingIn(child) : reconcile(below, child.value, child.schema);
    if (reconciled !== below && !isEmpty(reconciled)) result = { ...result, [element]: reconciled };
  }
  return result;
}

interface Child {
  readonly value: unknown;
  readonly schema: SchemaNode;
}

function childOf(value: unknown, element: string, schema: SchemaNode): unknown {
  if (element.startsWith("f:")) return isRecord(value) ? field(value, element.slice(2)) : undefined;
  if (schema.kind !== "list" || !isList(value)) return undefined;
  return value.find((item) => itemElement(schema, item) === element);
}

/** What the schema says of a child that can have children itself. */
function schemaBelow(element: string, schema: SchemaNode): SchemaNode | undefined {
  if (schema.kind === "list") return element.startsWith("k:") ? schema.items : undefined;
  const known = element.startsWith("f:") ? fieldOf(schema, element.slice(2))?.node : undefined;
  return known?.kind === "scalar" || known?.kind === "any" ? undefined : known;
}

function everythingIn({ value, schema }: Child): FieldSet {
  if (value === undefined) return emptySet;
  const wrapper: SchemaNode = { kind: "object", fields: new Map([["all", { node: schema }]]) };
  const inside = toFieldSet({ all: value }, wrapper)["f:all"];
  return inside === undefined ? emptySet : union({ ".": emptySet }, inside);
}

function isGranular(schema: SchemaNode): boolean {
  if (schema.kind === "list") return schema.listType !== "atomic";
  return (schema.kind === "object" || schema.kind === "map") && schema.atomic !== true;
}
