import { Cluster } from "@bowline/api";
import type { ChangeEvent, Client, ReadObject } from "@bowline/client";
import { BowlineError, type Clock } from "@bowline/core";

import { withCluster, withoutCluster, type Board, type ClusterState, type DemoState } from "./demo-state.ts";
import { ClusterFollower } from "./follow-cluster.ts";
import { followRequests } from "./follow-requests.ts";

interface FollowDemoOptions {
  readonly client: Client;
  /** The user that the client is, whose own requests are not shown. */
  readonly ownUser: string;
  /** For the clusters. */
  readonly token: string;
  readonly caPem: string;
  readonly board: Board;
  readonly clock: Clock;
}

interface FollowedDemo {
  /** Looks into these clusters as well. */
  lookInto(clusters: readonly string[]): void;
  /** Rejects when the server can no longer be followed; resolves when it was closed. */
  readonly failed: Promise<void>;
  close(): Promise<void>;
}

/** Keeps the board up to date by asking the server, as any other client could. */
export function followDemo(options: FollowDemoOptions): FollowedDemo {
  const { client, ownUser, token, caPem, board, clock } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const inside: ClusterFollower[] = [];
  const follow = async (): Promise<void> => {
    try {
      const requests = { client, board, clock, signal, ownUser, sinceMs: clock.now() };
      await Promise.all([followClusters(client, board, signal), followRequests(requests)]);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const failed = follow();
  failed.catch(() => {});
  return {
    failed,
    lookInto: (clusters) => {
      const { server } = client;
      inside.push(
        ...clusters.map((name) => new ClusterFollower({ name, server, caPem, token, board, clock })),
      );
    },
    close: async () => {
      stop.abort();
      await Promise.all([failed.catch(() => {}), ...inside.map((follower) => follower.close())]);
    },
  };
}

/** Puts what the server knows about clusters on the board, until the signal aborts. */
async function followClusters(client: Client, board: Board, signal: AbortSignal): Promise<void> {
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
