import { isRecord } from "@bowline/core";

import { field, isList, type JsonObject } from "../schema/json-value.ts";
import type { PatchRule, SchemaNode } from "../schema/schema-node.ts";
import { unexpectedPatch, unreadablePatch } from "./patch-error.ts";
import { deleteScalars, mergeLists, orderList } from "./strategic-list.ts";

const directive = "$patch";
const retainKeysDirective = "$retainKeys";
const deletePrefix = "$deleteFromPrimitiveList/";
const orderPrefix = "$setElementOrder/";

/** What the schema says of one field; both parts are missing for a field it does not know. */
interface PatchField {
  readonly node: SchemaNode | undefined;
  readonly rule: PatchRule;
}

/**
 * Strategic merge patch: objects merge field by field, lists as their patch strategy says, and `$`-directives in the
 * patch delete, replace, retain and order. The target is never changed.
 */
export function applyStrategicPatch(target: JsonObject, patch: unknown, schema: SchemaNode): JsonObject {
  if (!isRecord(patch)) throw unreadablePatch("a strategic merge patch must be a JSON object");
  return mergeObjects(target, patch, schema);
}

function mergeObjects(target: JsonObject, patch: JsonObject, node: SchemaNode | undefined): JsonObject {
  if (Object.hasOwn(patch, directive)) return followDirective(patch);
  const merged = new Map(Object.entries(retainKeys(target, patch)));
  const done = new Set([retainKeysDirective]);
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const name = key.slice(orderPrefix.length);
    done.add(key).add(name);
    const list = orderField(merged.get(name), { patch: field(patch, name), order }, fieldOf(node, name));
    if (list !== undefined) merged.set(name, list);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (done.has(key)) continue;
    if (key.startsWith(deletePrefix)) {
      const name = key.slice(deletePrefix.length);
      if (!isList(value)) throw unreadablePatch("invalid patch format of primitive list");
      const current = merged.get(name);
      if (isList(current)) merged.set(name, deleteScalars(current, value));
    } else if (value === null) {
      merged.delete(key);
    } else {
      merged.set(key, mergeField(merged.get(key), value, fieldOf(node, key)));
    }
  }
  return Object.fromEntries(merged);
}

function mergeField(current: unknown, patch: unknown, { node, rule }: PatchField): unknown {
  if (isRecord(current) && isRecord(patch)) {
    return rule.replace === true ? patch : mergeObjects(current, patch, node);
  }
  if (isList(current) && isList(patch) && rule.merge === true) {
    const items = node?.kind === "list" ? node.items : undefined;
    return mergeLists(current, patch, {
      mergeKey: rule.mergeKey,
      mergeItem: (live, change) => mergeObjects(live, change, items),
    });
  }
  return patch;
}

/** Merges the list of the patch, if there is one, then puts the result in the order asked for. */
function orderField(
  current: unknown,
  { patch, order }: { readonly patch: unknown; readonly order: unknown },
  { node, rule }: PatchField,
): readonly unknown[] | undefined {
  const malformed = [current, patch].some((list) => list !== undefined && !isList(list));
  if (!isList(order) || malformed) throw unreadablePatch("invalid patch format of setElementOrder list");
  const merged = mergeField(current, patch ?? current, { node, rule });
  if (!isList(merged)) return undefined;
  return orderList(merged, order, { mergeKey: rule.mergeKey, live: isList(current) ? current : [] });
}

function followDirective(patch: JsonObject): JsonObject {
  switch (patch[directive]) {
    case "replace":
      return withoutField(patch, directive);
    case "delete":
      return {};
    default:
      throw unexpectedPatch(
        `unknown patch type: ${JSON.stringify(patch[directive])} in map: ${JSON.stringify(patch)}`,
      );
  }
}

/** Drops what `$retainKeys` does not list; everything else in the patch must be listed. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = field(patch, retainKeysDirective);
  if (keys === undefined) return target;
  const malformed = (): Error => unreadablePatch("invalid patch format of retainKeys");
  if (!isList(keys)) throw malformed();
  const isListed = (key: string): boolean => keys.includes(key);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !key.startsWith("$") && !isListed(key)) throw malformed();
  }
  return Object.fromEntries(Object.entries(target).filter(([key]) => isListed(key)));
}

function fieldOf(node: SchemaNode | undefined, key: string): PatchField {
  if (node?.kind === "map") return { node: node.values, rule: {} };
  if (node?.kind !== "object") return { node: undefined, rule: {} };
  const known = node.fields.get(key);
  return { node: known?.node, rule: known?.patch ?? {} };
}

function withoutField(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
