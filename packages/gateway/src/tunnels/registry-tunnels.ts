import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Store } from "@bowline/store";
import type { ClusterTunnels } from "./cluster-tunnels.ts";
import type { TunnelRoute } from "../session/agent-session.ts";
import type { AgentRegistry } from "../session/agent-registry.ts";
import { bestTunnel } from "./best-tunnel.ts";

/** The way into clusters whose agents are connected to this process. */
export class RegistryTunnels implements ClusterTunnels {
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
    const lastSeenAt = cluster.status.agent?.lastSeenAt;
    const seen = lastSeenAt === undefined ? "has never been seen" : `was last seen at ${lastSeenAt}`;
    throw new BowlineError("AgentOffline", `The agent of the cluster ${name} is not connected; it ${seen}.`, {
      details: lastSeenAt === undefined ? {} : { lastSeenAt },
    });
  }
}
