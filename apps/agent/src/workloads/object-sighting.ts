import { hash } from "node:crypto";

import { factFields, healthFacts, type HealthFacts } from "@bowline/health";
import { appliedDigest, type FieldMask, type KubeObject, type ManagedFieldsEntry } from "@bowline/kube";

import { timestamp, type ObservedObject } from "../report/report-item.ts";
import type { ObjectPlace, OwnedObject, Owner } from "./ownership.ts";
import { kindOf, type KindRef } from "./watched-workload.ts";

/** As whom the server applies objects. */
const fieldManager = "bowline";

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

/** An object as it was just seen. A class, so that caches neither freeze nor look into it. */
export class ObjectSighting {
  readonly place: ObjectPlace;
  #report: ObjectReport | undefined;

  constructor(place: ObjectPlace, report: ObjectReport | undefined) {
    this.place = place;
    this.#report = report;
  }

  /** Once, so that nobody keeps it; undefined for an object that belongs to no Workload. */
  takeReport(): ObjectReport | undefined {
    const report = this.#report;
    this.#report = undefined;
    return report;
  }
}

/** The fields to decode of a kind: its place, what its health follows from, and who manages what of a named object. */
export function sightingFields(kind: KindRef, isNamed: boolean): FieldMask {
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

/** Kinds with data in them: of these only metadata is asked for. */
export function isMetadataOnly({ group, kind }: KindRef): boolean {
  return group === "" && (kind === "Secret" || kind === "ConfigMap");
}

export function placeOf(kind: string, { metadata }: KubeObject): ObjectPlace {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { kind, namespace, name, uid, owner: ownerOf(metadata.ownerReferences) };
}

function ownerOf(references: unknown): Owner | undefined {
  const owners: readonly unknown[] = Array.isArray(references) ? references : [];
  const read = owners.slice(0, 32).flatMap((each) => readOwner(each) ?? []);
  const owner = read.find(({ isController }) => isController) ?? read[0];
  return owner === undefined ? undefined : { uid: owner.uid, kind: owner.kind };
}

function readOwner(value: unknown): (Owner & { readonly isController: boolean }) | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { apiVersion, kind, uid, controller } = value as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof uid !== "string") return undefined;
  return { uid, kind: kindOf(apiVersion, kind), isController: controller === true };
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

export function digestOf({ facts, applied, changedBy }: ObjectReport): string {
  return hash("sha1", `${facts}\n${applied}\n${changedBy}`, "base64").slice(0, 16);
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

/** Back from `apps/Deployment`. */
export function splitKind(key: string): KindRef {
  const slash = key.lastIndexOf("/");
  return { group: key.slice(0, slash), kind: key.slice(slash + 1) };
}
