import type { Clock, Logger, Random } from "@bowline/core";

import type { Replica, Store } from "@bowline/store";
import type { AgentAudit } from "../identity/agent-audit.ts";
import type { ClusterTunnels, LocalTunnels } from "../tunnels/cluster-tunnels.ts";
import type { TunnelHandler } from "../listener/agent-call.ts";
import type { AgentRegistry } from "../session/agent-registry.ts";
import type { Announcement, Announcements, OpenAnnouncements, ReplicaEvent } from "./announcement.ts";
import { KnownHolders } from "./known-holders.ts";
import { PeerLinks } from "./peer-links.ts";
import { ForwardService } from "./forward-service.ts";
import { ReplicaTokens } from "./replica-tokens.ts";
import { ReplicaDirectory } from "./replica-directory.ts";
import { ReplicatedTunnels } from "./replicated-tunnels.ts";

/** How often to look whether agents have come to another replica. */
const lookAgainMs = 250;
/** A session is known to all before its tunnel has been dialled. */
const tunnelMs = 1_000;
/** A replica takes some hundred agents a second. */
const urgedAtOnce = 100;

/** Knowledge of the installation that a server needs to work with its other servers. */
export interface ReplicaTrust {
  /** The CA of the installation. */
  readonly caPem: string;
  /** Known to all replicas, and to nobody else. */
  readonly secret: Uint8Array;
  /** Where there is something to carry announcements. */
  readonly openAnnouncements?: OpenAnnouncements | undefined;
}

export interface ReplicasOptions extends ReplicaTrust {
  readonly store: Pick<Store, "agents">;
  readonly registry: AgentRegistry;
  readonly here: LocalTunnels;
  /** Names this process among the replicas, and is never used again. */
  readonly owner: string;
  /** Key of the lease of this process. */
  readonly lease: string;
  /** Of Bowline. */
  readonly version: string;
  readonly audit: AgentAudit;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Where a replica is reached. */
export type ReplicaAddress = Pick<Replica, "url" | "agentUrls">;

/** This server among the others: tells them which agents it holds, forwards requests to them, and takes what they forward. */
export class Replicas {
  readonly tunnels: ClusterTunnels;
  /** Answers other replicas. */
  readonly serve: TunnelHandler;
  readonly #options: ReplicasOptions;
  readonly #holders: KnownHolders;
  readonly #directory: ReplicaDirectory;
  readonly #service: ForwardService;
  readonly #links: PeerLinks;
  #announcements: Announcements | undefined;
  #self: Replica | undefined;
  #epoch = 0;
  #isLeaving = false;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    const { store, registry, here, owner: self, clock } = options;
    const tokens = new ReplicaTokens({ ...options, self });
    this.#holders = new KnownHolders({ clock, isTold: () => this.#announcements?.isConnected === true });
    this.#directory = new ReplicaDirectory({
      ...options,
      self,
      replicas: store.agents.replicas,
      onSeen: (ids) => {
        this.#links.retain(ids);
        this.#holders.retain(ids);
        if (!ids.has(self)) void this.#enterAgain();
      },
    });
    this.#links = new PeerLinks({
      ...options,
      tokens,
      find: (id) => this.#directory.find(id),
      onLeft: (id) => this.#holders.forgetReplica(id),
    });
    this.#service = new ForwardService({ ...options, tokens, findHere: (cluster) => here.route(cluster) });
    this.serve = this.#service.serve;
    this.tunnels = new ReplicatedTunnels({
      here,
      holders: this.#holders,
      replicas: store.agents.replicas,
      onFound: (replicas) => this.#directory.learn(replicas),
      linkTo: (replica) => this.#links.to(replica),
    });
    registry.subscribe({
      opened: ({ agent }) => this.#announce({ event: "holds", cluster: agent.clusterName }),
      closed: ({ agent: { clusterName: cluster } }) => {
        if (registry.ofCluster(cluster).size === 0) this.#announce({ event: "lost", cluster });
      },
    });
  }

  /** Where agents reach the others. */
  get otherAgentUrls(): readonly string[] {
    return this.#directory.agentUrls;
  }

  /** To how many replicas there is a connection. */
  get connections(): number {
    return this.#links.connected;
  }

  /** Requests that other replicas have forwarded here, and that are under way. */
  get forwardedStreams(): number {
    return this.#service.streams;
  }

  async start(): Promise<void> {
    await this.#directory.start();
    this.#announcements = this.#options.openAnnouncements?.({
      heard: (announcement) => this.#heard(announcement),
      connected: () => this.#connected(),
    });
  }

  /** This process listens, and takes agents and requests for them from now on. */
  async enter(address: ReplicaAddress): Promise<void> {
    const { owner: id, lease, version } = this.#options;
    this.#self = { ...address, id, lease, version };
    await this.#options.store.agents.replicas.register(this.#self);
    this.#announce({ event: "came" });
  }

  /** Others may have taken this one for dead, or have come in the meantime. */
  lookNow(): void {
    this.#directory.lookNow();
  }

  /**
   * Resolves when all clusters whose agents are connected here are held by another replica as well, so that nobody
   * misses this one; at once where there is no other, and when the signal aborts. Agents would hear of another one with
   * their next heartbeat, or wait longer and longer for one that was away: they are urged, some at a time.
   */
  async heldElsewhere(signal: AbortSignal): Promise<void> {
    const { registry, clock, logger } = this.#options;
    const waiting = new Set(Array.from(registry.sessions(), ({ agent }) => agent.clusterName));
    const urged = new Set<string>();
    while (waiting.size > 0 && this.#directory.agentUrls.length > 0 && !signal.aborted) {
      try {
        await this.#lookForHolders(waiting, signal);
      } catch (error) {
        return logger.warn({ err: error }, "It is not known whether the agents have another replica");
      }
      const next = [...waiting].filter((cluster) => !urged.has(cluster)).slice(0, urgedAtOnce);
      for (const cluster of next) {
        urged.add(cluster);
        for (const session of registry.ofCluster(cluster)) session.urgeReplicas(this.#directory.agentUrls);
      }
      const delayMs = waiting.size > 0 ? lookAgainMs : tunnelMs;
      await clock.sleep(delayMs, signal).catch(() => {});
    }
  }

  /** Takes away those that another replica holds. */
  async #lookForHolders(clusters: Set<string>, signal: AbortSignal): Promise<void> {
    const { store, owner } = this.#options;
    for (const cluster of clusters) {
      if (signal.aborted) return;
      const holders = await store.agents.replicas.holdersOf(cluster);
      if (holders.some(({ id }) => id !== owner)) clusters.delete(cluster);
    }
  }

  /** Takes nothing new: the others turn elsewhere. Resolves when what is under way, in both directions, is complete. */
  async drain(reason: string): Promise<void> {
    this.#isLeaving = true;
    await Promise.all([this.#leave(), this.#service.drain(reason), this.#links.drain(reason)]);
  }

  async close(): Promise<void> {
    this.#isLeaving = true;
    this.#service.close();
    this.#links.close();
    await Promise.all([this.#directory.stop(), this.#announcements?.close()]);
  }

  /** Others have taken this one for dead; should it fail, the next look finds it missing again. */
  async #enterAgain(): Promise<void> {
    if (this.#self === undefined || this.#isLeaving) return;
    try {
      await this.#options.store.agents.replicas.register(this.#self);
    } catch (error) {
      this.#options.logger.warn(
        { err: error },
        "The other replicas do not know that this one is back; will be tried again",
      );
    }
  }

  async #leave(): Promise<void> {
    const { store, logger, owner } = this.#options;
    try {
      if (this.#self !== undefined) await store.agents.replicas.remove(owner);
    } catch (error) {
      logger.warn({ err: error }, "The other replicas could not be told that this one stops");
    }
    // Not before: replicas that hear it look who is left.
    this.#announce({ event: "leaves" });
  }

  #announce(event: ReplicaEvent): void {
    // A replica that takes no agents has nothing to say.
    if (this.#self === undefined) return;
    this.#epoch += 1;
    this.#announcements?.send({ ...event, replica: this.#options.owner, epoch: this.#epoch });
  }

  #heard(announcement: Announcement): void {
    const { replica, event } = announcement;
    if (replica === this.#options.owner) return;
    this.#holders.hear(announcement);
    if (event === "came" || event === "leaves") this.#directory.lookNow();
  }

  #connected(): void {
    this.#holders.clear();
    if (!this.#isLeaving) this.#announce({ event: "came" });
  }
}
