import { Cluster } from "@bowline/api";
import { BowlineError, hasCode } from "@bowline/core";
import { removeCloudObjects, type ProviderWork, type WorkloadRemoval } from "@bowline/providers";
import type { Store } from "@bowline/store";

import type { ClusterClients } from "../workloads/cluster-clients.ts";

const requestLimitMs = 20_000;

/**
 * Takes away what has made load balancers through the tunnel of a cluster that is being deleted, as whoever deletes it:
 * nobody is to use the rights of its author, or of the agent, on what is not theirs. Without a tunnel, or without grants
 * that cover all of it, the provider has its own way in.
 */
export function removalThroughTunnel({
  store,
  clients,
}: {
  readonly store: Pick<Store, "objects">;
  readonly clients: ClusterClients;
}): WorkloadRemoval {
  return async (work: ProviderWork) => {
    const cluster = await store.objects.get(Cluster, work.cluster.name);
    if (cluster === undefined || cluster.metadata.id !== work.cluster.id) return "unreachable";
    const { agent, deletedBy, author } = cluster.status;
    const person = deletedBy ?? author;
    if (agent?.connectedSince === undefined || person === undefined) return "unreachable";
    const identity = await clients.identityOf(person);
    if (identity === undefined) return "unreachable";
    const client = clients.actingAs(identity, cluster.metadata.name);
    try {
      const signal = AbortSignal.any([work.signal, AbortSignal.timeout(requestLimitMs)]);
      return await removeCloudObjects(client, { clock: work.clock, signal, deletesVolumes: false });
    } catch (error) {
      work.signal.throwIfAborted();
      if (hasCode(error, "NotGranted", "Forbidden", "AgentOffline")) return "unreachable";
      if (error instanceof BowlineError) return "waiting";
      throw error;
    } finally {
      await client.transport.close();
    }
  };
}
