import { Cluster, workloadResource, WorkloadPlacement, type Diagnosis } from "@bowline/api";
import { BowlineError, Gate, withDeadline, type Clock } from "@bowline/core";
import { findCondition } from "@bowline/runtime";
import type { ResourceRef } from "@bowline/kube";
import type { Store } from "@bowline/store";

import type { ClusterClients } from "./cluster-clients.ts";
import { findObjects } from "./find-objects.ts";

export interface UnknownWorkloadsOptions {
  readonly store: Pick<Store, "objects">;
  readonly clients: Pick<ClusterClients, "asAgent">;
  readonly clock: Clock;
}

type UnknownWorkloads = Pick<Diagnosis, "unknownWorkloads" | "clustersNotAsked">;

const { group, version, kind, plural } = workloadResource;
const workloads: ResourceRef = { group, version, kind, plural, namespaced: false };
const limitMs = 3_000;
const atOnce = 8;
/** More than anybody reads; the rest are not asked. */
const maxClusters = 500;
const maxFound = 1_000;

/**
 * Workload resources in clusters that no placement stands behind: deployed after the backup was made that the server was
 * restored from, or by another server. What agents tell of them is refused, and nobody touches them. The clusters
 * themselves are asked, those that can be.
 */
export async function findUnknownWorkloads({
  store,
  clients,
  clock,
}: UnknownWorkloadsOptions): Promise<UnknownWorkloads> {
  const [clusters, placements] = await Promise.all([
    findObjects(store.objects, Cluster),
    findObjects(store.objects, WorkloadPlacement),
  ]);
  const placed = new Set(placements.map(({ spec }) => `${spec.cluster}/${spec.instance}`));
  const connected = clusters
    .filter(({ status }) => findCondition(status.conditions, "AgentConnected")?.status === "True")
    .map(({ metadata }) => metadata.name);
  const gate = new Gate({ concurrency: atOnce, maxWaiting: maxClusters });
  const clustersNotAsked = connected.slice(maxClusters);
  const found = await Promise.all(
    connected.slice(0, maxClusters).map((cluster) =>
      gate.pass(async () => {
        try {
          return (await workloadsIn(clients, cluster, clock)).map((workload) => ({ cluster, workload }));
        } catch {
          clustersNotAsked.push(cluster);
          return [];
        }
      }),
    ),
  );
  const unknownWorkloads = found
    .flat()
    .filter(({ cluster, workload }) => !placed.has(`${cluster}/${workload}`));
  return { unknownWorkloads: unknownWorkloads.slice(0, maxFound), clustersNotAsked };
}

/** A cluster that never had a workload does not know the kind. */
async function workloadsIn(
  clients: Pick<ClusterClients, "asAgent">,
  cluster: string,
  clock: Clock,
): Promise<string[]> {
  const onTimeout = (): BowlineError => new BowlineError("Timeout", "The cluster did not answer in time.");
  try {
    const list = await withDeadline(
      (signal) => clients.asAgent(cluster).listMetadata(workloads, { limit: maxFound, signal }),
      { clock, limitMs, onTimeout },
    );
    return list.items.map(({ metadata }) => metadata.name ?? "");
  } catch (error) {
    if (error instanceof BowlineError && error.code === "NotFound") return [];
    throw error;
  }
}
