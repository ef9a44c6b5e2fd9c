import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { TunnelConnection } from "@bowline/protocol";
import type { Store } from "@bowline/store";

import type { AgentRegistry } from "../session/agent-registry.ts";
import type { TunnelRoute, AgentSession, SessionTunnel } from "../session/agent-session.ts";

/** The way into clusters, for the proxy and for controllers. */
export interface ClusterTunnels {
  /**
   * A tunnel to the cluster of this name, held by this process or by another replica. `AgentOffline`, with
   * `details.lastSeenAt` where it is known, when nobody holds one.
   */
  find(cluster: string): TunnelRoute | Promise<TunnelRoute>;
}

/** The way into clusters whose agents are connected to this process. */
export class LocalTunnels implements ClusterTunnels {
  readonly #registry: Pick<AgentRegistry, "ofCluster">;
  readonly #objects: Pick<Store["objects"], "get">;

  constructor(registry: Pick<AgentRegistry, "ofCluster">, objects: Pick<Store["objects"], "get">) {
    this.#registry = registry;
    this.#objects = objects;
  }

  find(cluster: string): TunnelRoute | Promise<TunnelRoute> {
    return this.route(cluster) ?? this.#offline(cluster);
  }

  /** Undefined when there is none. */
  route(cluster: string): TunnelRoute | undefined {
    return bestTunnel(this.#registry.ofCluster(cluster))?.route;
  }

  async #offline(name: string): Promise<never> {
    const cluster = await this.#objects.get(Cluster, name);
    if (cluster === undefined) throw new BowlineError("NotFound", `There is no cluster named ${name}.`);
    throw offlineError(name, cluster.status.agent?.lastSeenAt);
  }
}

/** `AgentOffline`, with the time at which the agent of a cluster was last heard from. */
export function offlineError(
  cluster: string,
  lastSeenAt: string | undefined,
  cause?: BowlineError,
): BowlineError {
  const seen = lastSeenAt === undefined ? "has never been seen" : `was last seen at ${lastSeenAt}`;
  return new BowlineError(
    "AgentOffline",
    `The agent of the cluster ${cluster} is not connected; it ${seen}.`,
    {
      ...(cause === undefined ? {} : { cause }),
      details: { ...cause?.details, ...(lastSeenAt === undefined ? {} : { lastSeenAt }) },
    },
  );
}

/**
 * The tunnel to open the next stream in: of those that take new ones, the one with the fewest, and of equals the one
 * with the shortest way. Undefined when there is none.
 */
function bestTunnel(sessions: Iterable<AgentSession>): SessionTunnel | undefined {
  let best: SessionTunnel | undefined;
  for (const { isDraining, tunnels } of sessions) {
    if (isDraining) continue;
    for (const tunnel of tunnels) {
      if (tunnel.connection.state !== "open") continue;
      if (best === undefined || isBetter(tunnel.connection, best.connection)) best = tunnel;
    }
  }
  return best;
}

type Load = Pick<TunnelConnection, "streams" | "roundTripMs">;

function isBetter(one: Load, other: Load): boolean {
  if (one.streams !== other.streams) return one.streams < other.streams;
  return (one.roundTripMs ?? Infinity) < (other.roundTripMs ?? Infinity);
}
