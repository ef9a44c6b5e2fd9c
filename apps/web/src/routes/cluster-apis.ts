import type { DiscoveredApis, DiscoveredResource } from "@bowline/kube/shapes";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import { askCluster, readApis } from "../kube/discovery.ts";
import type { KindPlace } from "../kube/places.ts";

/** The kinds of a cluster: who asks for one that is not there gets an error that nobody needs. */
export function useApis(cluster: string): UseQueryResult<DiscoveredApis> {
  return useQuery({
    queryKey: ["apis", cluster],
    queryFn: ({ signal }) => readApis(askCluster(cluster, signal)),
    staleTime: 60_000,
  });
}

/** The kind at an address, once the cluster has told of it. */
export function findKind(
  apis: DiscoveredApis | undefined,
  { group, version, resource }: Omit<KindPlace, "cluster">,
): DiscoveredResource | undefined {
  return apis?.resources.find(
    (known) => known.group === group && known.version === version && known.plural === resource,
  );
}
