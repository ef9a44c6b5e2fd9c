import { Cluster } from "@bowline/api";
import type { ChangeEvent, Client, ReadObject } from "@bowline/client";
import { BowlineError, type Clock } from "@bowline/core";

import { withCluster, withoutCluster, type Board, type ClusterState, type DemoState } from "./demo-state.ts";
import { ClusterFollower } from "./follow-cluster.ts";
import { followRequests } from "./follow-requests.ts";
import { EventFollower, followPlacements } from "./follow-workloads.ts";

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
      const followed = { client, board, signal };
      const events = new EventFollower(followed);
      await Promise.all([
        followAnew(signal, () => followClusters(followed)),
        followAnew(signal, () => followPlacements(followed)),
        followAnew(signal, () => events.follow()),
        followRequests({ ...followed, clock, ownUser, sinceMs: clock.now() }),
      ]);
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

/** Begins again when the server no longer knows what happened in between. */
async function followAnew(signal: AbortSignal, follow: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow();
    } catch (thrown) {
      if (signal.aborted) return;
      if (BowlineError.from(thrown).code !== "Expired") throw thrown;
    }
  }
}

/** Puts what the server knows about clusters on the board, until the signal aborts. */
async function followClusters({ client, board, signal }: FollowedParts): Promise<void> {
  for await (const event of client.watch(Cluster, {}, { signal })) {
    board.update((state) => afterEvent(state, event));
  }
}

interface FollowedParts {
  readonly client: Client;
  readonly board: Board;
  readonly signal: AbortSignal;
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
