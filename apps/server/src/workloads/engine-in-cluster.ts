import type { Cluster } from "@bowline/api";
import type { Identity } from "@bowline/auth";
import type { Clock } from "@bowline/core";
import { chooseParameters, type RevisionContent } from "@bowline/manifests";
import type { Fence, Store } from "@bowline/store";
import { WorkloadEngine, type Workload } from "@bowline/workloads";

import type { ActingOptions, ClusterClients } from "./cluster-clients.ts";
import type { PlacementSpec } from "./resolve-workload.ts";

type WorkloadSettings = Pick<
  PlacementSpec,
  "revision" | "approved" | "namespace" | "parameters" | "prune" | "pruneLimit" | "conflicts" | "ignore"
> &
  Partial<Pick<PlacementSpec, "patches" | "takeoverFrom">>;

/** A revision as it should be in one cluster. */
export function workloadIn(
  { metadata, spec }: Cluster,
  settings: WorkloadSettings,
  { objects, parameters }: RevisionContent,
): Workload {
  const { revision, approved, namespace, prune, pruneLimit, ignore, patches } = settings;
  const { conflicts, takeoverFrom } = settings;
  return {
    revision,
    objects,
    parameters: chooseParameters(parameters, settings.parameters).values,
    cluster: { name: metadata.name, region: spec.region, labels: metadata.labels },
    patches,
    namespace,
    policy: { prune, pruneLimit, isPruneApproved: approved === revision, conflicts, takeoverFrom, ignore },
  };
}

/** A Cluster object can be joined by another cluster; that one has nothing of what was applied. */
export function clusterKey({ metadata, status }: Cluster): string {
  return `${metadata.id}/${status.clusterUid ?? ""}`;
}

export interface EngineTools {
  readonly store: Pick<Store, "inventory">;
  readonly clients: ClusterClients;
  readonly clock: Clock;
}

export interface EngineUse extends ActingOptions {
  readonly cluster: Cluster;
  readonly instance: { readonly id: string; readonly name: string };
  readonly identity: Identity;
  readonly fence?: Fence | undefined;
}

/** Works with an engine for one instance in one cluster, which acts as somebody, and lets go of the way there afterwards. */
export async function withEngine<T>(
  { store, clients, clock }: EngineTools,
  { cluster, instance, identity, fence, ...acting }: EngineUse,
  work: (engine: WorkloadEngine) => Promise<T>,
): Promise<T> {
  const { name } = cluster.metadata;
  const client = clients.actingAs(identity, name, acting);
  try {
    const engine = new WorkloadEngine({
      client,
      discovery: clients.discovery(name, clusterKey(cluster)),
      inventory: store.inventory,
      key: { instanceId: instance.id, clusterId: cluster.metadata.id },
      instance: instance.name,
      clock,
      fence,
    });
    return await work(engine);
  } finally {
    await client.transport.close();
  }
}
