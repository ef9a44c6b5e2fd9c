import type { Cluster, WorkloadPlacement } from "@bowline/api";
import { canonicalJson, contentId } from "@bowline/core";
import type { Workload } from "@bowline/workloads";

import { clusterKey } from "./engine-in-cluster.ts";

interface Placed {
  readonly placement: WorkloadPlacement;
  readonly cluster: Cluster;
}

/** Changes with everything that decides what is applied. */
export function inputsOf({ placement, cluster }: Placed, { parameters, cluster: facts }: Workload): string {
  const { approved, actingUser, patches, takeoverFrom, ...spec } = placement.spec;
  const { revision, namespace, prune, pruneLimit, conflicts, ignore } = spec;
  const settings = { revision, namespace, prune, pruneLimit, conflicts, ignore };
  const values = Object.fromEntries([...parameters].map(([name, { type, text }]) => [name, { type, text }]));
  return contentId(
    canonicalJson({
      ...settings,
      ...(patches === undefined ? {} : { patches }),
      ...(takeoverFrom === undefined ? {} : { takeoverFrom }),
      approved: approved ?? "",
      user: actingUser.user,
      values,
      facts: { name: facts.name, region: facts.region ?? "", labels: facts.labels },
      cluster: clusterKey(cluster),
    }),
  );
}
