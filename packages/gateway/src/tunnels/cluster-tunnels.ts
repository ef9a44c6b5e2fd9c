import { Cluster } from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
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

interface LocalTunnelsOptions {
  readonly registry: Pick<AgentRegistry, "ofCluster">;
  readonly objects: Pick<Store["objects"], "get">;
  readonly clock: Pick<Clock, "sleep">;
}

/** How long a request waits for the first tunnel of a session. */
const comingLimitMs = 2_000;

/** The way into clusters whose agents are connected to this process. */
export class LocalTunnels implements ClusterTunnels {
  readonly #options: LocalTunnelsOptions;

  constructor(options: LocalTunnelsOptions) {
    this.#options = options;
  }

  find(cluster: string): TunnelRoute | Promise<TunnelRoute> {
    return this.route(cluster) ?? this.#coming(cluster);
  }

  /** Undefined when there is none. */
  route(cluster: string): TunnelRoute | undefined {
    return bestTunnel(this.#options.registry.ofCluster(cluster))?.route;
  }

  /** An agent that was just welcomed has its tunnel in a moment: such as one that another replica has sent here. */
  async #coming(cluster: string): Promise<TunnelRoute> {
    const { registry, clock } = this.#options;
    const sessions = [...registry.ofCluster(cluster)].filter(({ isDraining }) => !isDraining);
    if (sessions.length > 0) {
      const limit = new AbortController();
      const attached = sessions.map((session) => session.attached);
      await Promise.race([...attached, clock.sleep(comingLimitMs, limit.signal).catch(() => {})]);
      limit.abort();
    }
    return this.route(cluster) ?? this.#offline(cluster);
  }

  async #offline(name: string): Promise<never> {
    const cluster = await this.#options.objects.get(Cluster, name);
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
