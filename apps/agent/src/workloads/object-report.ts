import { hash } from "node:crypto";

import { LruMap } from "@bowline/core";
import { factFields, healthFacts, type HealthFacts } from "@bowline/health";
import { appliedDigest, type FieldMask, type KubeObject, type ManagedFieldsEntry } from "@bowline/kube";

import { kindKey, splitKind, type KindRef } from "../observe/kube-message.ts";
import { timestamp, type ObservedObject } from "../report/report-item.ts";
import type { OwnedObject } from "./ownership.ts";

/** As whom the server applies objects. */
const fieldManager = "bowline";

const digestBytes = 12;

/** The report of an object that belongs to a Workload. */
export interface ObjectReport {
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly facts: string;
  readonly applied: string;
  readonly changedBy: string;
  /** A ReplicaSet that a Deployment keeps to go back to: nothing runs of it. */
  readonly isRetired: boolean;
}

/** Asked for with every Workload that changes, and always the same: who compares them sees that at once. */
const knownFields = new LruMap<string, FieldMask>(1_024);

/** The fields to decode of a kind: its place, what its health follows from, and who manages what of a named object. */
export function reportFields(kind: KindRef, isNamed: boolean): FieldMask {
  const key = `${isNamed ? "named" : "owned"} ${kindKey(kind)}`;
  const fields = knownFields.get(key) ?? newReportFields(kind, isNamed);
  knownFields.set(key, fields);
  return fields;
}

function newReportFields(kind: KindRef, isNamed: boolean): FieldMask {
  const facts = factFields(kind);
  const metadata = typeof facts["metadata"] === "object" ? facts["metadata"] : {};
  return {
    ...facts,
    metadata: {
      ...metadata,
      ownerReferences: { apiVersion: true, kind: true, uid: true, controller: true },
      ...(isNamed ? { managedFields: true } : {}),
    },
  };
}

/** `isNamed`: the Workload names the object itself, so that the server compares what it applied. */
export function objectReport(object: KubeObject, isNamed: boolean): ObjectReport {
  const facts = healthFacts(object);
  const applied = isNamed ? appliedDigest(object, fieldManager) : "";
  return {
    apiVersion: object.apiVersion,
    resourceVersion: object.metadata.resourceVersion ?? "",
    facts: JSON.stringify(facts),
    applied,
    changedBy: applied === "" ? "" : lastOtherManager(object.metadata.managedFields),
    isRetired: !isNamed && facts.kind === "ReplicaSet" && isEmpty(facts),
  };
}

/** Whether some of its fields are the server's, as far as it was asked whose they are. */
export function isAppliedByServer({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some(({ manager }) => manager === fieldManager);
}

function isEmpty({ spec, status }: HealthFacts): boolean {
  return spec?.["replicas"] === 0 && (status?.["replicas"] ?? 0) === 0;
}

/** Whoever wrote a field of the object itself last; the status is written by controllers all the time. */
function lastOtherManager(entries: readonly ManagedFieldsEntry[] = []): string {
  let last: ManagedFieldsEntry | undefined;
  for (const entry of entries) {
    if (entry.manager === fieldManager || isOfStatus(entry)) continue;
    if (last === undefined || (entry.time ?? "") >= (last.time ?? "")) last = entry;
  }
  return (last?.manager ?? "").slice(0, 128);
}

/** Servers before 1.22 do not say which subresource was written; but nobody else can write a status. */
function isOfStatus({ subresource = "", fieldsV1 = {} }: ManagedFieldsEntry): boolean {
  return subresource !== "" || Object.hasOwn(fieldsV1, "f:status");
}

/** A string of its own: a part of a longer one would keep all of that. */
export function digestOf({ facts, applied, changedBy }: ObjectReport): string {
  return hash("sha1", `${facts}\n${applied}\n${changedBy}`, "buffer").toString("latin1", 0, digestBytes);
}

export function observedObject(
  object: OwnedObject,
  report: ObjectReport,
  more: { readonly workload: string; readonly isNamed: boolean; readonly nowMs: number },
): ObservedObject {
  const { namespace, name, uid, owner } = object.place;
  const { kind } = splitKind(object.place.kind);
  return {
    ref: { apiVersion: report.apiVersion, kind, namespace, name, uid },
    workload: more.workload,
    ownerUid: more.isNamed ? "" : (owner?.uid ?? ""),
    resourceVersion: report.resourceVersion,
    facts: report.facts,
    applied: report.applied,
    changedBy: report.changedBy,
    observedAt: timestamp(more.nowMs),
  };
}
