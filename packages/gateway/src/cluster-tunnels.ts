import type { TunnelConnection } from "@bowline/protocol";

/** The way into clusters, for whoever has something to ask one: the proxy, and the controllers. */
export interface ClusterTunnels {
  /**
   * A tunnel to the cluster of this name, held by this process or by another replica. `AgentOffline`, with
   * `details.lastSeenAt` where it is known, when nobody holds one.
   */
  find(cluster: string): TunnelRoute | Promise<TunnelRoute>;
}

/** Opens streams at one agent. It may be gone at any time; its streams are told. */
export interface TunnelRoute extends Pick<TunnelConnection, "open"> {
  /** Names the agent in logs and errors. */
  readonly agent: string;
  /** The replica that holds the tunnel, where it is not this one. */
  readonly replica?: string;
}
