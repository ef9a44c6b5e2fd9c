import type { StatusOf, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { shortened } from "@bowline/core";
import { findCondition } from "@bowline/runtime";

import type { Wait } from "../rollout/plan-rollout.ts";
import type { Statement } from "./resolve-workload.ts";

type ClusterStatus = StatusOf<typeof WorkloadInstance>["clusters"][number];
export type InstanceSummary = Pick<
  StatusOf<typeof WorkloadInstance>,
  "clusters" | "clusterCount" | "readyCount"
>;

/** As many as a status has room for. */
const maxClusters = 500;
const maxMessageLength = 1_024;

export interface SummaryInput {
  readonly placements: readonly WorkloadPlacement[];
  /** Why clusters do not have what the instance wants yet. */
  readonly waiting: ReadonlyMap<string, Wait>;
  /** Names of clusters that the placement asks for and that are not there. */
  readonly missing: readonly string[];
}

/** How an instance does in its clusters, those in trouble first. */
export function summarizeClusters({ placements, waiting, missing }: SummaryInput): InstanceSummary {
  const placed = new Set(placements.map(({ spec }) => spec.cluster));
  const clusters = [
    ...placements.map((placement) => clusterStatus(placement, waiting.get(placement.spec.cluster))),
    ...[...waiting].filter(([name]) => !placed.has(name)).map(waitingCluster),
    ...missing.map(missingCluster),
  ].toSorted((a, b) => rank(a) - rank(b) || (a.cluster < b.cluster ? -1 : 1));
  return {
    clusters: clusters.slice(0, maxClusters),
    clusterCount: clusters.length,
    readyCount: clusters.filter(({ ready }) => ready === "True").length,
  };
}

/** One statement for all clusters: the worst of them, and in how many it is so. */
export function readyStatement({ clusters, clusterCount, readyCount }: InstanceSummary): Statement {
  const [worst] = clusters;
  if (worst === undefined) {
    const message = "No cluster matches the placement; the workload is nowhere.";
    return { status: "False", reason: "NoClusters", message };
  }
  if (readyCount === clusterCount) {
    const message = `Applied and healthy in ${clusterCount === 1 ? worst.cluster : `all ${clusterCount} clusters`}.`;
    return { status: "True", reason: "Ready", message };
  }
  const alike = clusters.filter(({ ready, reason }) => ready === worst.ready && reason === worst.reason);
  const where =
    clusterCount === 1 ? worst.cluster : `${alike.length} of ${clusterCount} clusters, ${worst.cluster}`;
  return {
    status: worst.ready,
    reason: worst.reason ?? "Progressing",
    message: `${where}: ${worst.message ?? "not ready yet"}`,
  };
}

function clusterStatus({ spec, status, metadata }: WorkloadPlacement, wait: Wait | undefined): ClusterStatus {
  const ready = findCondition(status.conditions, "Ready");
  const isCurrent = ready !== undefined && ready.observedGeneration === metadata.generation;
  const { revision, health, resourceCount, healthyCount } = status;
  return {
    cluster: spec.cluster,
    ...(revision === undefined ? {} : { revision }),
    ...(wait === undefined ? currentStatus(isCurrent ? ready : undefined) : waitingStatus(wait)),
    ...(health === undefined ? {} : { health }),
    resourceCount,
    healthyCount,
  };
}

type ReadyStatus = Pick<ClusterStatus, "ready" | "reason" | "message">;

function currentStatus(ready: Statement | undefined): ReadyStatus {
  if (ready === undefined) {
    return { ready: "Unknown", reason: "Progressing", message: "The current revision is being applied." };
  }
  const { status, reason, message } = ready;
  return { ready: status, reason, message: shortened(message, maxMessageLength) };
}

/** What runs there may well be ready, but it is not what the instance wants. */
function waitingStatus({ reason, message }: Wait): ReadyStatus {
  return { ready: "Unknown", reason, message: shortened(message, maxMessageLength) };
}

function waitingCluster([cluster, wait]: readonly [string, Wait]): ClusterStatus {
  return { cluster, ...waitingStatus(wait), resourceCount: 0, healthyCount: 0 };
}

function missingCluster(cluster: string): ClusterStatus {
  return {
    cluster,
    ready: "False",
    reason: "ClusterNotFound",
    message: `There is no cluster ${cluster}; add it, or take it out of the placement.`,
    resourceCount: 0,
    healthyCount: 0,
  };
}

function rank({ ready }: ClusterStatus): number {
  return ["False", "Unknown", "True"].indexOf(ready);
}
