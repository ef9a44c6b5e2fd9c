import type { TunnelRoute } from "../session/agent-session.ts";

/** The way into clusters, for whoever has something to ask one: the proxy, and the controllers. */
export interface ClusterTunnels {
  /**
   * A tunnel to the cluster of this name, held by this process or by another replica. `AgentOffline`, with
   * `details.lastSeenAt` where it is known, when nobody holds one.
   */
  find(cluster: string): TunnelRoute | Promise<TunnelRoute>;
}
