import { isRecord } from "@bowline/core";

import { isList, valueAt, type JsonObject } from "../schema/json-value.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { capUpdaters } from "./cap-updaters.ts";
import { compare, isSame } from "./compare.ts";
import { difference, emptySet, isEmpty, setsEqual, union } from "./field-set.ts";
import {
  decodeManagers,
  encodeManagers,
  identityOf,
  type ManagedFieldsEntry,
  type Manager,
  type Managers,
  withoutUntracked,
} from "./managed-fields.ts";
import { reconcileOwnership } from "./reconcile-ownership.ts";

export interface TrackUpdateOptions {
  /** The stored object; undefined when it is being created. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  readonly manager: string;
  readonly apiVersion: string;
  readonly schema: SchemaNode;
  readonly time: string;
  readonly subresource?: string;
}

/**
 * The `managedFields` after a create, update or patch: who writes a field owns it from then on, and what is removed
 * is owned by nobody. An object that is not tracked stays so until somebody applies to it.
 */
export function trackUpdate(options: TrackUpdateOptions): ManagedFieldsEntry[] {
  const managers = managersBefore(options);
  if (options.before !== undefined && managers.size === 0) return [];
  return encodeManagers(capUpdaters(updateManagers(managers, options)));
}

/** Hands the changed fields over to the updater. The same managers come back if nothing changed. */
export function updateManagers(stored: Managers, options: TrackUpdateOptions): Managers {
  const before = options.before ?? {};
  const comparison = compare(before, options.after, options.schema);
  if (isSame(comparison)) return stored;
  const managers = reconcileOwnership(stored, before, options.schema);
  const written = withoutUntracked(union(comparison.modified, comparison.added));
  const gone = union(written, comparison.removed);
  const result = new Map<string, Manager>();
  for (const [identity, manager] of managers) {
    const fields = difference(manager.fields, gone);
    if (!isEmpty(fields)) result.set(identity, fields === manager.fields ? manager : { ...manager, fields });
  }
  if (isEmpty(written)) return result;
  const updater: Manager = {
    name: options.manager === "" ? "unknown" : options.manager,
    operation: "Update",
    apiVersion: options.apiVersion,
    subresource: options.subresource ?? "",
    time: options.time,
    fields: emptySet,
  };
  const identity = identityOf(updater);
  const former = stored.get(identity);
  const fields = union(result.get(identity)?.fields ?? emptySet, written);
  const isUnchanged = former !== undefined && setsEqual(fields, former.fields);
  result.set(identity, isUnchanged ? former : { ...updater, fields });
  return result;
}

/** A client may rewrite or reset the managers in the object it sends; one that sends none keeps those stored. */
function managersBefore({ before, after, subresource }: TrackUpdateOptions): Managers {
  const stored = decodeManagers(before) ?? new Map<string, Manager>();
  if (subresource !== undefined) return stored;
  const sent = valueAt(after, "metadata", "managedFields");
  if (isReset(sent)) return new Map();
  const decoded = decodeManagers(after);
  return decoded === undefined || decoded.size === 0 ? stored : decoded;
}

function isReset(sent: unknown): boolean {
  if (!isList(sent)) return false;
  const [only] = sent;
  return sent.length === 0 || (sent.length === 1 && isRecord(only) && Object.keys(only).length === 0);
}
