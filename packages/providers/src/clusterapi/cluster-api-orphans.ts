import type { OrphanedResource, OrphanSearch, WantedCluster } from "../provider.ts";
import { lookAtPlaces } from "../look-at-places.ts";
import { readContract, type ClusterApiAccess } from "./management-cluster.ts";
import { clusterLabel, serverLabel } from "./marks.ts";
import { shownPlace } from "./object-record.ts";
import { settingsOf } from "./wanted-objects.ts";

/**
 * Clusters of Cluster API with the mark of this installation, in the management clusters and namespaces that it works in:
 * as the people in whose names it does. What else a template has goes by the Cluster it belongs to. Changes nothing.
 */
export async function findClusterApiOrphans(
  access: ClusterApiAccess,
  search: OrphanSearch,
): Promise<readonly OrphanedResource[]> {
  const places = new Map(
    search.clusters.map((cluster) => {
      const { managementCluster, namespace } = settingsOf(cluster);
      return [`the namespace ${namespace} of ${managementCluster}`, cluster] as const;
    }),
  );
  return lookAtPlaces(places, (cluster) => markedIn(access, search, cluster), search);
}

async function markedIn(
  access: ClusterApiAccess,
  { clusterIds, installation, signal }: OrphanSearch,
  cluster: WantedCluster,
): Promise<OrphanedResource[]> {
  const { managementCluster, namespace } = settingsOf(cluster);
  await using management = await access.open(managementCluster, cluster);
  const { clusters } = await readContract(management);
  const labelSelector = `${serverLabel}=${installation}`;
  const { items } = await management.client.listMetadata(clusters, { namespace, labelSelector, signal });
  return items.flatMap(({ metadata }) => {
    const { [clusterLabel]: clusterId } = metadata.labels ?? {};
    // One that is known is looked for in its place, each time it is looked at.
    if (clusterId === undefined || clusterIds.has(clusterId)) return [];
    const id = shownPlace({ resource: clusters, namespace, name: metadata.name ?? "" });
    return [{ id, type: "cluster.x-k8s.io:cluster", region: management.name, clusterId }];
  });
}
