import type { WorkloadInstance } from "@bowline/api";

import { byTrouble, healthInCluster, workloadHealth, type WorkloadHealth } from "./workload-health.ts";

/** A row of the matrix: an instance, and how it does in each cluster it is placed in. */
export interface MatrixRow {
  readonly instance: WorkloadInstance;
  readonly overall: WorkloadHealth;
  /** By the name of the cluster. */
  readonly cells: ReadonlyMap<string, WorkloadHealth>;
}

const rows = new WeakMap<WorkloadInstance, MatrixRow>();

/** The same row for the same object: of a thousand instances, mostly one has changed. */
export function matrixRow(instance: WorkloadInstance): MatrixRow {
  const known = rows.get(instance);
  if (known !== undefined) return known;
  const cells = new Map(
    instance.status.clusters.map((cluster) => [cluster.cluster, healthInCluster(cluster)]),
  );
  const row = { instance, overall: workloadHealth(instance), cells };
  rows.set(instance, row);
  return row;
}

/** The columns: every cluster that there is, and those that an instance is placed in without their being there. */
export function matrixClusters(
  instances: Iterable<WorkloadInstance>,
  clusterNames: Iterable<string>,
): string[] {
  const names = new Set(clusterNames);
  for (const { status } of instances) for (const { cluster } of status.clusters) names.add(cluster);
  return [...names].toSorted(new Intl.Collator("en", { numeric: true }).compare);
}

/** Instances that are not as they should be, the worst first; of the same, by name. */
export function inTrouble(instances: Iterable<WorkloadInstance>): MatrixRow[] {
  return [...instances]
    .map(matrixRow)
    .filter(({ overall }) => overall.health !== "Healthy")
    .toSorted(
      (a, b) =>
        byTrouble(a.overall, b.overall) || (a.instance.metadata.name < b.instance.metadata.name ? -1 : 1),
    );
}

/** The clusters in which a row is in trouble, the worst first. */
export function clustersInTrouble({ cells }: MatrixRow): { cluster: string; state: WorkloadHealth }[] {
  return [...cells]
    .filter(([, { health }]) => health !== "Healthy")
    .map(([cluster, state]) => ({ cluster, state }))
    .toSorted((a, b) => byTrouble(a.state, b.state));
}
