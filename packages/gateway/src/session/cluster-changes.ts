import { Cluster } from "@bowline/api";
import { Backoff, hasCode, watchBackoff, type Clock, type Logger, type Random } from "@bowline/core";

import { type Change, type FollowQuery, typed, type Store } from "@bowline/store";
import { agentConfigOf } from "./agent-config.ts";
import type { AgentRegistry } from "./agent-registry.ts";

export interface ClusterChangesOptions {
  readonly store: Pick<Store, "changes" | "agents" | "objects">;
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const retry = { ...watchBackoff, baseMs: 100, maxMs: 5_000 };
/** How often every agent is looked at, should something have been missed. */
const recheckMs = 60_000;
const batchSize = 500;

/**
 * Follows the changes of Clusters, of any replica: pushes new configurations, and ends the sessions of agents that were
 * revoked or whose Cluster is gone.
 */
export class ClusterChanges {
  readonly #options: ClusterChangesOptions;
  readonly #stop = new AbortController();
  readonly #backoff: Backoff;
  #running: Promise<unknown> | undefined;

  constructor(options: ClusterChangesOptions) {
    this.#options = options;
    this.#backoff = new Backoff(retry, options.clock, options.random);
  }

  async start(): Promise<void> {
    const position = await this.#options.store.changes.resourceVersion();
    this.#running = Promise.all([this.#follow(position), this.#recheckNowAndThen()]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
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

  async #follow(from: string): Promise<void> {
    const { signal } = this.#stop;
    let position: string | undefined = from;
    while (!signal.aborted) {
      try {
        position ??= await this.#begin();
        const query: FollowQuery = { after: position, kinds: [Cluster.kind], signal };
        for await (const changes of this.#options.store.changes.follow(query)) {
          this.#backoff.reset();
          await this.#apply(changes);
          position = changes.at(-1)?.resourceVersion ?? position;
        }
      } catch (error) {
        if (hasCode(error, "Expired")) position = undefined;
      }
      await this.#pause(this.#backoff.nextDelayMs());
    }
  }

  /** What happened in between is not known any more: everything is looked at. */
  async #begin(): Promise<string> {
    const { store, registry } = this.#options;
    const position = await store.changes.resourceVersion();
    for (const name of registry.clusters()) {
      const cluster = await store.objects.get(Cluster, name);
      if (cluster !== undefined) this.#configure(cluster);
    }
    await this.recheck(registry.clusters());
    return position;
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
    const { registry, logger } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#pause(recheckMs);
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

  async #pause(ms: number): Promise<void> {
    try {
      await this.#options.clock.sleep(ms, this.#stop.signal);
    } catch {
      // Stopped.
    }
  }
}
