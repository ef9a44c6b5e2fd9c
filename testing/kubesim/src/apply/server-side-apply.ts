import { isRecord } from "@bowline/core";

import { valueAt, type JsonObject } from "../schema/json-value.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { checkApplied } from "./check-applied.ts";
import { compare, isSame } from "./compare.ts";
import { conflictError, type Conflict } from "./conflict-error.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  has,
  intersection,
  isEmpty,
  paths,
  setsEqual,
  union,
} from "./field-set.ts";
import { fieldsOfLastApplied, withLastApplied } from "./last-applied.ts";
import {
  decodeManagers,
  encodeManagers,
  identityOf,
  type Manager,
  type Managers,
  withoutUntracked,
} from "./managed-fields.ts";
import { mergeApplied } from "./merge-applied.ts";
import { pruneApplied } from "./prune-applied.ts";
import { reconcileOwnership } from "./reconcile-ownership.ts";
import { toFieldSet } from "./to-field-set.ts";
import { updateManagers } from "./track-update.ts";

export interface ServerSideApplyOptions {
  /** The stored object; undefined if there is none, in which case applying creates it. */
  readonly live: JsonObject | undefined;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly schema: SchemaNode;
  /** The version of the request. */
  readonly apiVersion: string;
  readonly time: string;
  readonly subresource?: string;
  /** Of the server; the newest if it is not said. */
  readonly minorVersion?: number;
}

/** `kubectl apply --server-side` calls itself so; the server then also minds the annotation of client-side apply. */
const kubectl = "kubectl";

/**
 * Server-side apply. The manager ends up owning exactly the fields it applied: what it applied before and leaves out
 * now is removed unless somebody else owns it too, and a field that another manager owns with another value is a
 * conflict unless forced. Comes back with `live` itself if nothing changed at all.
 */
export function serverSideApply(options: ServerSideApplyOptions): JsonObject {
  const { applied, apiVersion, schema } = options;
  if (applied["apiVersion"] !== apiVersion) {
    throw badRequest(
      "Incorrect version specified in apply patch. " +
        `Specified patch version: ${text(applied["apiVersion"])}, expected: ${apiVersion}`,
    );
  }
  if ((valueAt(applied, "metadata", "managedFields") ?? null) !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  checkApplied(applied, schema);
  const live = options.live ?? { apiVersion, kind: applied["kind"], metadata: {} };
  const managers = managersBefore(live, options);
  const outcome = applyOnce({ ...options, live, managers, allowed: allowedConflicts(live, options) });
  if (outcome.object === live && outcome.managers === managers && options.live !== undefined)
    return options.live;
  const object = options.manager === kubectl ? withLastApplied(outcome.object, applied) : outcome.object;
  return withManagers(object, outcome.managers);
}

interface Attempt extends ServerSideApplyOptions {
  readonly live: JsonObject;
  readonly managers: Managers;
  /** Fields that may be taken over although another manager owns them; undefined if none may. */
  readonly allowed: FieldSet | undefined;
}

interface Outcome {
  readonly object: JsonObject;
  readonly managers: Managers;
}

function applyOnce(attempt: Attempt): Outcome {
  const { live, applied, schema } = attempt;
  const managers = reconcileOwnership(attempt.managers, live, schema);
  const applier: Manager = {
    name: attempt.manager,
    operation: "Apply",
    apiVersion: attempt.apiVersion,
    subresource: attempt.subresource ?? "",
    time: attempt.time,
    fields: withoutUntracked(toFieldSet(applied, schema)),
  };
  const identity = identityOf(applier);
  const former = managers.get(identity);
  const withApplier = new Map(managers).set(identity, applier);
  const merged = pruneApplied(mergeApplied(live, applied, schema), {
    schema,
    managers: withApplier,
    last: former?.fields ?? emptySet,
    applied: applier.fields,
    minorVersion: attempt.minorVersion ?? Infinity,
  });
  const comparison = compare(live, merged, schema);
  const written = union(comparison.modified, comparison.added);
  refuseConflicts({ ...attempt, managers }, identity, written);

  const gone = union(written, comparison.removed);
  const result = new Map<string, Manager>();
  for (const [key, manager] of withApplier) {
    const fields = key === identity ? manager.fields : difference(manager.fields, gone);
    if (!isEmpty(fields)) result.set(key, fields === manager.fields ? manager : { ...manager, fields });
  }
  const isUnchanged = isSame(comparison);
  if (isUnchanged && sameOwnership(attempt.managers, result))
    return { object: live, managers: attempt.managers };
  return { object: isUnchanged ? live : merged, managers: result };
}

function refuseConflicts({ managers, force, allowed }: Attempt, identity: string, written: FieldSet): void {
  if (force) return;
  const conflicts: Conflict[] = [];
  for (const [key, manager] of managers) {
    if (key === identity) continue;
    for (const path of paths(intersection(manager.fields, written))) conflicts.push({ manager, path });
  }
  const refused = conflicts.filter(({ path }) => allowed === undefined || !has(allowed, path));
  if (refused.length > 0) throw conflictError(refused);
}

/** An object nobody tracked until now belongs, as it is, to a manager of its own. */
function managersBefore(live: JsonObject, options: ServerSideApplyOptions): Managers {
  const managers = decodeManagers(live);
  if (managers === undefined) {
    throw new SimStatusError({ code: 500, message: "failed to decode managed fields" });
  }
  if (managers.size > 0) return managers;
  const { schema, apiVersion, time } = options;
  return updateManagers(managers, {
    before: undefined,
    after: live,
    manager: "before-first-apply",
    schema,
    apiVersion,
    time,
  });
}

function allowedConflicts(
  live: JsonObject,
  { manager, apiVersion, schema }: ServerSideApplyOptions,
): FieldSet | undefined {
  return manager === kubectl ? fieldsOfLastApplied(live, apiVersion, schema) : undefined;
}

function sameOwnership(before: Managers, after: Managers): boolean {
  return (
    before.size === after.size &&
    [...after].every(([identity, { fields, apiVersion }]) => {
      const former = before.get(identity);
      return former !== undefined && former.apiVersion === apiVersion && setsEqual(former.fields, fields);
    })
  );
}

function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const metadata = object["metadata"];
  return {
    ...object,
    metadata: { ...(isRecord(metadata) ? metadata : {}), managedFields: encodeManagers(managers) },
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function badRequest(message: string): SimStatusError {
  return new SimStatusError({ code: 400, reason: "BadRequest", message });
}
