import { BowlineError } from "@bowline/core";

import type { OrphanedResource, OrphanSearch } from "../provider.ts";
import type { EngineName } from "./engine.ts";
import { findMarkedClusters, type MarkedCluster } from "./find-marked-clusters.ts";
import type { KindHost } from "./kind-situation.ts";

/** Clusters of this installation in the engines of this machine that no object knows of; changes nothing. */
export async function findKindOrphans(
  host: KindHost,
  { clusterIds, clusters, installation, signal }: OrphanSearch,
): Promise<readonly OrphanedResource[]> {
  const engines = new Set([undefined, ...clusters.map(({ spec }) => spec.kind?.engine)]);
  const found: MarkedCluster[] = [];
  for (const engine of engines) found.push(...(await markedIn(engine, host, signal)));
  const orphans = found
    // That of `bowline up`, which the server itself runs in, is no object of it.
    .filter((each) => each.installation === installation && each.cluster !== installation)
    .filter((each) => !clusterIds.has(each.cluster))
    .map(({ kindName, engine, cluster }) => [`${kindName} (${engine})`, cluster] as const);
  // The engine that is found first may be one that a cluster has asked for, too.
  return [...new Map(orphans)].map(([id, clusterId]) => ({ id, type: "kind:cluster", clusterId }));
}

/** Without an engine there are no containers. */
async function markedIn(
  engine: EngineName | undefined,
  host: KindHost,
  signal: AbortSignal,
): Promise<readonly MarkedCluster[]> {
  try {
    return await findMarkedClusters(engine, host, signal);
  } catch (error) {
    if (error instanceof BowlineError && error.code === "MissingProgram") return [];
    throw error;
  }
}
