import { Cluster } from "@bowline/api";
import type { Clock, Logger, Random } from "@bowline/core";

import { LogInformer, typed, type Change, type Store } from "@bowline/store";
import { agentConfigOf } from "./agent-config.ts";
import type { AgentRegistry } from "./agent-registry.ts";

export interface ClusterFollowerOptions {
  readonly store: Pick<Store, "changes" | "agents" | "objects">;
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** How often every agent is looked at, should something have been missed. */
const recheckMs = 60_000;
const batchSize = 500;

/**
 * Follows the changes of Clusters, of any replica: pushes new configurations, and ends the sessions of agents that were
 * revoked or whose Cluster is gone.
 */
export class ClusterFollower {
  readonly #options: ClusterFollowerOptions;
  readonly #stop = new AbortController();
  readonly #informer: LogInformer<Change>;
  #running: Promise<void> | undefined;

  constructor(options: ClusterFollowerOptions) {
    this.#options = options;
    this.#informer = new LogInformer({
      ...options,
      log: options.store.changes,
      kinds: [Cluster.kind],
      list: () => this.#list(),
      handle: (changes) => this.#apply(changes),
    });
  }

  async start(): Promise<void> {
    await this.#informer.start();
    this.#running = this.#recheckNowAndThen();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#informer.close(), this.#running]);
  }

  /** Ends the sessions of the cluster whose agents may not be connected any more. */
  async recheck(clusters: Iterable<string>): Promise<void> {
    const { registry, store } = this.#options;
    const sessions = [...clusters].flatMap((name) => [...registry.ofCluster(name)]);
    const ids = [...new Set(sessions.map(({ agent }) => agent.id))];
    for (let at = 0; at < ids.length; at += batchSize) {
      const ended = new Set(await store.agents.findEnded(ids.slice(at, at + batchSize)));
      for (const session of sessions) if (ended.has(session.agent.id)) session.close("revoked");
    }
  }

  /** Looks at every cluster whose agents are connected: what has happened to it since is not known. */
  async #list(): Promise<void> {
    const { store, registry } = this.#options;
    for (const name of registry.clusters()) {
      const cluster = await store.objects.get(Cluster, name);
      if (cluster !== undefined) this.#configure(cluster);
    }
    await this.recheck(registry.clusters());
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const { registry } = this.#options;
    const held = changes.filter(({ name }) => registry.ofCluster(name).size > 0);
    for (const change of held) {
      if (change.type === "DELETED") this.#deleted(change);
      else if (change.desiredChanged) this.#configure(typed(Cluster, change.object));
    }
    await this.recheck(new Set(held.map(({ name }) => name)));
  }

  #deleted({ name, id }: Change): void {
    for (const session of this.#options.registry.ofCluster(name)) {
      if (session.agent.clusterId === id) session.close("deleted");
    }
  }

  #configure({ metadata: { name, id, generation }, spec }: Cluster): void {
    const config = agentConfigOf(spec);
    for (const session of this.#options.registry.ofCluster(name)) {
      if (session.agent.clusterId === id) session.configure(config, generation);
    }
  }

  async #recheckNowAndThen(): Promise<void> {
    const { registry, clock, logger } = this.#options;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(recheckMs, this.#stop.signal).catch(() => {});
      try {
        await this.recheck(registry.clusters());
      } catch (error) {
        logger.warn(
          { err: error },
          "Whether agents were revoked could not be looked up; will be tried again",
        );
      }
    }
  }
}
