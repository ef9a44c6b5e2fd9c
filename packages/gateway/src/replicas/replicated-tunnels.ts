import type { Replica, ReplicaStore } from "@bowline/store";
import type { ClusterTunnels, LocalTunnels } from "../tunnels/cluster-tunnels.ts";
import type { TunnelRoute } from "../session/agent-session.ts";
import type { KnownHolders } from "./known-holders.ts";
import type { PeerLink } from "./peer-link.ts";
import { ForwardRoute } from "./forward-route.ts";

export interface ReplicatedTunnelsOptions {
  readonly here: Pick<LocalTunnels, "route" | "find">;
  readonly holders: KnownHolders;
  readonly replicas: Pick<ReplicaStore, "holdersOf">;
  /** They were looked up. */
  readonly onFound: (replicas: readonly Replica[]) => void;
  /** The link to a replica; undefined for this one, and for one that nobody knows. */
  readonly linkTo: (replica: string) => PeerLink | undefined;
}

/** The way into clusters whose agents are connected to this process, or to another replica. */
export class ReplicatedTunnels implements ClusterTunnels {
  readonly #options: ReplicatedTunnelsOptions;
  /** Lookups under way by cluster: requests that need the same one share it. */
  readonly #looking = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(options: ReplicatedTunnelsOptions) {
    this.#options = options;
  }

  find(cluster: string): TunnelRoute | Promise<TunnelRoute> {
    return this.#options.here.route(cluster) ?? this.#forwarded(cluster) ?? this.#search(cluster);
  }

  /** Through a replica to which there is a connection already; the one with the least to do. */
  #forwarded(cluster: string): TunnelRoute | undefined {
    let best: PeerLink | undefined;
    for (const replica of this.#options.holders.of(cluster) ?? []) {
      const link = this.#options.linkTo(replica);
      const streams = link?.tunnel?.streams;
      if (streams !== undefined && streams < (best?.tunnel?.streams ?? Infinity)) best = link;
    }
    return best === undefined ? undefined : this.#routeThrough(best, cluster);
  }

  async #search(cluster: string): Promise<TunnelRoute> {
    const { holders, here } = this.#options;
    const known = holders.of(cluster);
    const route = known === undefined ? undefined : await this.#connectTo(known, cluster);
    if (route !== undefined) return route;
    const found = await this.#lookUp(cluster);
    // Where nobody holds it, it may have come here in the meantime.
    return (await this.#connectTo(found, cluster)) ?? here.find(cluster);
  }

  async #connectTo(replicas: ReadonlySet<string>, cluster: string): Promise<TunnelRoute | undefined> {
    for (const replica of replicas) {
      const link = this.#options.linkTo(replica);
      try {
        await link?.connect();
      } catch {
        // The link has told why. Another may hold the agent too.
      }
      if (link?.tunnel !== undefined) return this.#routeThrough(link, cluster);
    }
    return undefined;
  }

  #routeThrough(link: PeerLink, cluster: string): TunnelRoute | undefined {
    const { replica, tunnel } = link;
    const onRefused = (): void => this.#options.holders.forget(cluster, replica);
    return tunnel === undefined ? undefined : new ForwardRoute({ cluster, replica, tunnel, onRefused });
  }

  #lookUp(cluster: string): Promise<ReadonlySet<string>> {
    const underWay = this.#looking.get(cluster);
    if (underWay !== undefined) return underWay;
    const look = this.#look(cluster).finally(() => this.#looking.delete(cluster));
    this.#looking.set(cluster, look);
    return look;
  }

  async #look(cluster: string): Promise<ReadonlySet<string>> {
    const { holders, replicas, onFound } = this.#options;
    try {
      const found = await replicas.holdersOf(cluster);
      onFound(found);
      holders.learn(
        cluster,
        found.map(({ id }) => id),
      );
    } catch (error) {
      // Old knowledge, from before the database went away, is better than none.
      if (holders.remembered(cluster) === undefined) throw error;
    }
    return holders.remembered(cluster) ?? new Set();
  }
}
