import { isRecord } from "@bowline/core";

import type { JsonRecord } from "./json-value.ts";
import {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  pathSegment,
  qualifiedName,
  validLabelValue,
  type NameRule,
} from "./name-rules.ts";
import type { ResourceType } from "./resource-type.ts";
import type { SimObject, SimObjectMeta } from "./sim-api.ts";
import type { FieldProblem } from "./status-errors.ts";

const annotationsLimitBytes = 256 * 1024;

/** Whole seconds, as every timestamp in metadata has them. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}

/** Which names a kind may have. */
function nameRule(type: ResourceType): NameRule {
  if (type.freeNames) return pathSegment;
  if (type.key === "namespaces") return dnsLabel;
  if (type.key === "services") return dns1035Label;
  return dnsSubdomain;
}

export function validateNewMeta(type: ResourceType, object: SimObject): FieldProblem[] {
  const { name, namespace } = object.metadata;
  const problems: FieldProblem[] = [];
  if (!name) problems.push(required("metadata.name", "name or generateName is required"));
  else problems.push(...nameRule(type)(name).map((why) => invalidValue("metadata.name", name, why)));
  if (type.namespaced && namespace !== undefined) {
    problems.push(...dnsLabel(namespace).map((why) => invalidValue("metadata.namespace", namespace, why)));
  }
  return [...problems, ...validateMetaContent(type, object)];
}

/** What may not change, and what must be right after every change. */
export function validateMetaUpdate(type: ResourceType, live: SimObject, next: SimObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (live.metadata.deletionTimestamp !== undefined) {
    const known = new Set(live.metadata.finalizers);
    const added = (next.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
    if (added.length > 0) {
      const shown = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
      problems.push({
        field: "metadata.finalizers",
        reason: "FieldValueForbidden",
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`,
      });
    }
  }
  for (const field of ["name", "namespace", "uid", "creationTimestamp"] as const) {
    if (next.metadata[field] !== live.metadata[field]) {
      problems.push(invalidValue(`metadata.${field}`, next.metadata[field], "field is immutable"));
    }
  }
  return [...problems, ...validateMetaContent(type, next)];
}

/** Metadata for an update: what the server owns stays, what the client left out of it is filled in. */
export function metaForUpdate(live: SimObject, desired: SimObject): SimObjectMeta {
  const {
    deletionTimestamp: _time,
    deletionGracePeriodSeconds: _grace,
    generation: _generation,
    managedFields: owners,
    ...asked
  } = desired.metadata;
  const managedFields = ownersForUpdate(live.metadata.managedFields, owners);
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = live.metadata;
  return {
    ...asked,
    name: given(asked.name) ?? live.metadata.name,
    uid: given(asked.uid) ?? live.metadata.uid,
    creationTimestamp: given(asked.creationTimestamp) ?? live.metadata.creationTimestamp,
    resourceVersion: live.metadata.resourceVersion,
    ...(live.metadata.namespace === undefined
      ? {}
      : { namespace: given(asked.namespace) ?? live.metadata.namespace }),
    ...(generation === undefined ? {} : { generation }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}

/** What clients leave empty they have not given. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** Leaving the owners out keeps them; a list with one empty entry is the agreed way to reset them. */
function ownersForUpdate(live: unknown[] | undefined, asked: unknown[] | undefined): unknown[] | undefined {
  if (asked === undefined || asked.length === 0) return live;
  const [only] = asked;
  return asked.length === 1 && isRecord(only) && Object.keys(only).length === 0 ? [] : asked;
}

function validateMetaContent(type: ResourceType, object: SimObject): FieldProblem[] {
  const { labels, annotations, finalizers } = object.metadata;
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    problems.push(...qualifiedName(key).map((why) => invalidValue("metadata.labels", key, why)));
    problems.push(...validLabelValue(value).map((why) => invalidValue("metadata.labels", value, why)));
  }
  let annotationBytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    problems.push(
      ...qualifiedName(key.toLowerCase()).map((why) => invalidValue("metadata.annotations", key, why)),
    );
    annotationBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (annotationBytes > annotationsLimitBytes) {
    problems.push({
      field: "metadata.annotations",
      reason: "FieldValueTooLong",
      message: `Too long: must have at most ${annotationsLimitBytes} bytes`,
    });
  }
  for (const finalizer of finalizers ?? []) {
    problems.push(
      ...finalizerProblems(type, finalizer).map((why) => invalidValue("metadata.finalizers", finalizer, why)),
    );
  }
  return [...problems, ...validateOwners(object)];
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Kinds of the API server itself want to know whose finalizer it is; definitions and what they define do not. */
function finalizerProblems(type: ResourceType, finalizer: string): string[] {
  const problems = qualifiedName(finalizer);
  const lenient = type.custom !== undefined || type.group === "apiextensions.k8s.io";
  if (problems.length > 0 || lenient || finalizer.includes("/") || standardFinalizers.has(finalizer)) {
    return problems;
  }
  return ["name is neither a standard finalizer name nor is it fully qualified"];
}

function validateOwners(object: SimObject): FieldProblem[] {
  const owners: unknown = object.metadata.ownerReferences;
  const records = Array.isArray(owners) ? owners.filter((owner): owner is JsonRecord => isRecord(owner)) : [];
  const problems = records.flatMap((owner) =>
    (["apiVersion", "kind", "name", "uid"] as const)
      .filter((field) => !owner[field])
      .map((field) =>
        invalidValue(
          `metadata.ownerReferences.${field}`,
          owner[field] ?? "",
          `${field === "apiVersion" ? "version" : field} must not be empty`,
        ),
      ),
  );
  const controllers = records.filter((owner) => owner["controller"] === true);
  if (controllers.length > 1) {
    const [first, second] = controllers.map((owner) => String(owner["name"]));
    problems.push(
      invalidValue(
        "metadata.ownerReferences",
        records,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`,
      ),
    );
  }
  return problems;
}

export function required(field: string, why: string): FieldProblem {
  return {
    field,
    reason: "FieldValueRequired",
    message: why === "" ? "Required value" : `Required value: ${why}`,
  };
}

export function invalidValue(field: string, value: unknown, why: string): FieldProblem {
  const shown = value === undefined ? "null" : JSON.stringify(value);
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${shown}: ${why}` };
}
