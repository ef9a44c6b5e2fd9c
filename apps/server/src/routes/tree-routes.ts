import {
  Cluster,
  createValidator,
  parseFieldSelector,
  treeLimits,
  TreeFilters,
  WorkloadInstance,
  WorkloadPlacement,
  type ClusterTree,
  type WorkloadTree,
} from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
import { notFound, type Store } from "@bowline/store";

import type { ApiPlugin } from "../api/http-api.ts";
import { requireName } from "../api/object-api.ts";
import { clusterTree } from "../reports/cluster-tree.ts";
import { readPlacementFacts } from "../reports/placement-facts.ts";
import { readRecordQuery } from "./record-query.ts";

export interface TreeRoutesOptions {
  readonly store: Pick<Store, "objects" | "inventory" | "reports" | "events">;
  readonly clock: Pick<Clock, "now">;
}

const parameters = {
  filterNames: Object.keys(TreeFilters.properties),
  validate: createValidator(TreeFilters),
  otherNames: [],
};

/** The newest of a workload in one cluster; of each object it shows only a few. */
const maxEvents = 500;

/** The objects of workloads as they are in clusters. */
export function treeRoutes(options: TreeRoutesOptions): ApiPlugin {
  const config = { action: { verb: "get", kind: WorkloadInstance } } as const;
  return (app) => {
    app.get<{ Params: { name: string } }>(
      "/api/v1/workloadinstances/:name/tree",
      { config },
      async (request): Promise<WorkloadTree> => {
        const { filters } = readRecordQuery(request, parameters);
        return readTree(options, requireName(WorkloadInstance, request), filters.cluster);
      },
    );
  };
}

async function readTree(
  options: TreeRoutesOptions,
  name: string,
  wanted: string | undefined,
): Promise<WorkloadTree> {
  const { objects } = options.store;
  const instance = await objects.get(WorkloadInstance, name);
  if (instance === undefined) throw notFound(WorkloadInstance, name);
  const chosen = wanted === undefined ? "" : `,spec.cluster=${wanted}`;
  const fields = parseFieldSelector(WorkloadPlacement, `spec.instance=${name}${chosen}`);
  const placements = await objects.list(WorkloadPlacement, { fields, limit: treeLimits.clusters });
  if (wanted !== undefined && placements.items.length === 0) {
    throw new BowlineError(
      "NotFound",
      `The WorkloadInstance ${name} is not placed in a cluster called ${wanted}.`,
    );
  }
  const byCluster = placements.items.toSorted((a, b) => (a.spec.cluster < b.spec.cluster ? -1 : 1));
  const clusters: ClusterTree[] = [];
  for (const placement of byCluster) {
    const tree = await readClusterTree(options, instance, placement);
    if (tree !== undefined) clusters.push(tree);
  }
  return { instance: name, clusterCount: placements.total, clusters };
}

async function readClusterTree(
  { store, clock }: TreeRoutesOptions,
  instance: WorkloadInstance,
  placement: WorkloadPlacement,
): Promise<ClusterTree | undefined> {
  const { cluster: clusterName } = placement.spec;
  const cluster = await store.objects.get(Cluster, clusterName);
  if (cluster === undefined) return undefined;
  const { name } = instance.metadata;
  const [facts, events] = await Promise.all([
    readPlacementFacts(store, cluster, instance, clock.now()),
    store.events.list({ instance: name, cluster: clusterName, limit: maxEvents }),
  ]);
  return clusterTree(placement, facts, events.items);
}
