import { BowlineError } from "@bowline/core";

import type { RowOf } from "../engine/tables.ts";
import type { ClusterEvent } from "../records/cluster-events.ts";

/** What a report is about. Each has epochs and a sequence of its own. */
export type ReportTopic = "workloads" | "graph";

/** A report of a cluster: the epoch, and the agent whose epoch it is. */
export interface ReportKey {
  /** The id of the Cluster's object. */
  readonly clusterId: string;
  readonly epoch: number;
  /** The agent that reports. */
  readonly instance: string;
}

/** How far the report of a cluster is. */
export interface ReportCursor extends ReportKey {
  /** The last batch that is stored; 0 for none. */
  readonly sequence: number;
  /** Everything that exists in the cluster has been reported in this epoch. */
  readonly complete: boolean;
}

/** An object of a cluster, as its agent has observed it. */
export interface ReportedResource {
  readonly uid: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Empty for an object that has none. */
  readonly namespace: string;
  readonly name: string;
  /** Of the object that controls it; missing for one that the workload names itself. */
  readonly ownerUid?: string | undefined;
  /** The name of the WorkloadInstance. */
  readonly workload: string;
  readonly resourceVersion: string;
  /** JSON. */
  readonly facts: string;
  /** Digest of the fields that Bowline owns. */
  readonly applied?: string | undefined;
  /** The field manager that wrote last, other than Bowline's. */
  readonly changedBy?: string | undefined;
  readonly observedAtMs: number;
}

/** One item of a batch, with its place in it. */
export type ReportedItem = { readonly index: number } & (
  | { readonly type: "object"; readonly resource: ReportedResource }
  | { readonly type: "gone"; readonly uid: string }
  | { readonly type: "event"; readonly event: ClusterEvent }
);

export interface ReportedBatch {
  readonly key: ReportKey;
  readonly sequence: number;
  readonly items: readonly ReportedItem[];
}

/**
 * - `too-many-resources`: the cluster has as many as one may have
 * - `too-large`: the facts of its objects are as much as one may have
 */
type StoreRefusal = "too-many-resources" | "too-large";

export interface RefusedItem {
  readonly index: number;
  readonly refusal: StoreRefusal;
}

/** The effect of a batch. */
export interface StoredBatch {
  /** False for a batch that was stored before, of which nothing was written again. */
  readonly isNew: boolean;
  readonly refused: readonly RefusedItem[];
  /** Names of the instances whose objects have changed. */
  readonly workloads: ReadonlySet<string>;
}

export type CursorRow = RowOf<"report_cursors">;
export type ResourceRow = RowOf<"resources">;

export function cursorOf(row: CursorRow): ReportCursor {
  const { cluster_id: clusterId, epoch, instance, sequence, complete } = row;
  return { clusterId, epoch, instance, sequence, complete: complete === 1 };
}

export function resourceRow({ clusterId, epoch }: ReportKey, resource: ReportedResource): ResourceRow {
  return {
    cluster_id: clusterId,
    uid: resource.uid,
    api_group: resource.group,
    version: resource.version,
    kind: resource.kind,
    namespace: resource.namespace,
    name: resource.name,
    owner_uid: resource.ownerUid ?? null,
    workload: resource.workload,
    resource_version: resource.resourceVersion,
    facts: resource.facts,
    applied: resource.applied ?? null,
    changed_by: resource.changedBy ?? null,
    observed_at: resource.observedAtMs,
    epoch,
  };
}

export function resourceOf(row: ResourceRow): ReportedResource {
  return {
    uid: row.uid,
    group: row.api_group,
    version: row.version,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    ...(row.owner_uid === null ? {} : { ownerUid: row.owner_uid }),
    workload: row.workload,
    resourceVersion: row.resource_version,
    facts: row.facts,
    ...(row.applied === null ? {} : { applied: row.applied }),
    ...(row.changed_by === null ? {} : { changedBy: row.changed_by }),
    observedAtMs: row.observed_at,
  };
}

export function clusterGone(clusterId: string): BowlineError {
  return new BowlineError("NotFound", `The Cluster ${clusterId} was deleted; nothing is reported about it.`);
}

export function epochOver({ epoch }: ReportKey, current: CursorRow): BowlineError {
  const message =
    epoch === current.epoch
      ? `The epoch ${epoch} is that of the agent ${current.instance}; begin a later one.`
      : `The epoch ${epoch} is over, the agents of the cluster have begun epoch ${current.epoch}; begin a later one.`;
  return new BowlineError("Expired", message, { details: { epoch: current.epoch } });
}

export function outOfOrder(sequence: number, current: CursorRow): BowlineError {
  return new BowlineError(
    "ProtocolViolation",
    `Batch ${sequence} came after batch ${current.sequence}; batches have numbers without gaps.`,
    { details: { stored: current.sequence } },
  );
}
