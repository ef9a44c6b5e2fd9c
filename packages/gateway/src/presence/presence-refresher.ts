import type { Clock } from "@bowline/core";

import type { AgentRegistry, RegistryListener } from "../session/agent-registry.ts";
import type { AgentSession } from "../session/agent-session.ts";

export interface PresenceRefresherOptions {
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly refresh: (session: AgentSession) => void;
}

const tickMs = 1_000;
/** How often it is looked whether the status of one cluster still tells how its agent is connected. */
const refreshMs = 30_000;
/** With thousands of agents, each has its turn less often. */
const maxPerTick = 10;

/** Has it looked, now and then, whether the status of Clusters still tells how their agents are connected. */
export class PresenceRefresher implements RegistryListener {
  readonly #options: PresenceRefresherOptions;
  /** When a cluster was last looked at, by name; whose turn is longest ago comes first. */
  readonly #lookedMs = new Map<string, number>();
  #cancel: (() => void) | undefined;

  constructor(options: PresenceRefresherOptions) {
    this.#options = options;
    options.registry.subscribe(this);
  }

  start(): void {
    this.#cancel = this.#options.clock.after(tickMs, () => this.#tick());
  }

  stop(): void {
    this.#cancel?.();
  }

  opened({ agent }: AgentSession): void {
    this.#looked(agent.clusterName);
  }

  closed({ agent }: AgentSession): void {
    const name = agent.clusterName;
    if (this.#options.registry.ofCluster(name).size === 0) this.#lookedMs.delete(name);
  }

  #looked(name: string): void {
    this.#lookedMs.delete(name);
    this.#lookedMs.set(name, this.#options.clock.monotonicMs());
  }

  #tick(): void {
    const { registry, clock, refresh } = this.#options;
    const nowMs = clock.monotonicMs();
    const due = [...this.#lookedMs].slice(0, maxPerTick).filter(([, ms]) => nowMs - ms >= refreshMs);
    for (const [name] of due) {
      this.#looked(name);
      const [session] = registry.ofCluster(name);
      if (session !== undefined) refresh(session);
    }
    this.start();
  }
}
