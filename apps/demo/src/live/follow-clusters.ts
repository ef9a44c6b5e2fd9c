import { Cluster } from "@bowline/api";
import type { ChangeEvent, Client, ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { Board } from "./board.ts";
import { withCluster, withoutCluster, type ClusterState, type DemoState } from "./demo-state.ts";

/** Puts what the server knows about clusters on the board, until the signal aborts. */
export async function followClusters(client: Client, board: Board, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(Cluster, {}, { signal })) {
        board.update((state) => afterEvent(state, event));
      }
    } catch (thrown) {
      if (signal.aborted) return;
      // The server no longer knows what happened in between: begin again.
      if (BowlineError.from(thrown).code !== "Expired") throw thrown;
    }
  }
}

function afterEvent(state: DemoState, event: ChangeEvent<ReadObject<typeof Cluster>>): DemoState {
  if (event.type === "BOOKMARK") return state;
  const { name } = event.object.metadata;
  return event.type === "DELETED"
    ? withoutCluster(state, name)
    : withCluster(state, name, clusterChange(event.object));
}

function clusterChange({ status }: ReadObject<typeof Cluster>): Partial<ClusterState> {
  const { agent, kubernetesVersion } = status;
  if (agent === undefined) return {};
  const since = agent.connectedSince;
  if (since === undefined) return { phase: "offline", connectedSinceMs: undefined, roundTripMs: undefined };
  return { phase: "connected", connectedSinceMs: Date.parse(since), kubernetesVersion };
}
