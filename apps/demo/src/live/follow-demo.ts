import type { Client } from "@bowline/client";
import type { Clock } from "@bowline/core";

import { screenUser } from "../stage/demo-objects.ts";
import type { Board } from "./board.ts";
import { ClusterFollower } from "./follow-cluster.ts";
import { followClusters } from "./follow-clusters.ts";
import { followRequests } from "./follow-requests.ts";

export interface FollowDemoOptions {
  readonly client: Client;
  /** For the clusters. */
  readonly token: string;
  readonly caPem: string;
  readonly board: Board;
  readonly clock: Clock;
}

export interface FollowedDemo {
  /** Looks into these clusters as well. */
  lookInto(clusters: readonly string[]): void;
  /** Rejects when the server can no longer be followed; resolves when it was closed. */
  readonly failed: Promise<void>;
  close(): Promise<void>;
}

/** Keeps the board up to date by asking the server, as any other client could. */
export function followDemo(options: FollowDemoOptions): FollowedDemo {
  const { client, token, caPem, board, clock } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const inside: ClusterFollower[] = [];
  const follow = async (): Promise<void> => {
    try {
      const requests = { client, board, clock, signal, ownUser: screenUser, sinceMs: clock.now() };
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
