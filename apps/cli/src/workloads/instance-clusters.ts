import { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, didYouMean } from "@bowline/core";
import { Option, type Command } from "commander";

import { listObjects } from "../resources/find-objects.ts";

/** A cluster that an instance is in, with what it has there. */
export interface InstanceCluster {
  readonly name: string;
  readonly resources: WorkloadPlacement["status"]["resources"];
}

export interface ClusterChoice {
  readonly cluster?: string;
  readonly allClusters?: boolean;
}

export function addClusterChoice(command: Command, { several }: { readonly several: boolean }): Command {
  command.option("--cluster <NAME>", "In this cluster; needed where the instance is in several");
  if (!several) return command;
  return command.addOption(
    new Option("--all-clusters", "In every cluster that the instance is in")
      .conflicts("cluster")
      .default(false),
  );
}

/** The clusters that are meant, of those that the instance is in. `NotFound` when there are none. */
export async function chooseClusters(
  client: Client,
  instance: string,
  { cluster, allClusters = false, signal }: ClusterChoice & { readonly signal: AbortSignal },
): Promise<InstanceCluster[]> {
  await client.get(WorkloadInstance, instance, { signal });
  const query = { fieldSelector: `spec.instance=${instance}` };
  const { objects } = await listObjects(client, WorkloadPlacement, { query, signal });
  const clusters = objects
    .map(({ object }) => ({ name: object.spec.cluster, resources: object.status.resources }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = clusters.map(({ name }) => name);
  if (clusters.length === 0) {
    throw new BowlineError(
      "NotFound",
      `workloadinstance/${instance} is in no cluster; see why: bowline describe wi/${instance}`,
    );
  }
  if (cluster !== undefined) {
    const chosen = clusters.filter(({ name }) => name === cluster);
    if (chosen.length > 0) return chosen;
    const hint = didYouMean(cluster, names) || `; it is in ${names.join(", ")}.`;
    throw new BowlineError(
      "NotFound",
      `workloadinstance/${instance} is not in the cluster ${cluster}${hint}`,
    );
  }
  if (allClusters || clusters.length === 1) return clusters;
  throw new BowlineError(
    "InvalidArgument",
    `workloadinstance/${instance} is in several clusters: ${names.join(", ")}. Choose one with --cluster.`,
  );
}
