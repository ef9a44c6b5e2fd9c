import type { Clock } from "@bowline/core";

import type { AgentRegistry, RegistryListener } from "../session/agent-registry.ts";
import type { AgentSession } from "../session/agent-session.ts";

export interface PresenceRefresherOptions {
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly refresh: (session: AgentSession) => void;
}

const tickMs = 1_000;
/** How often the status of one cluster says anew when its agent was last seen. */
const refreshMs = 30_000;
/** Every write is kept in the log of changes for a day: with thousands of agents, each has its turn less often. */
const maxPerTick = 10;

/** Refreshes now and then when agents were last seen, in the status of their Clusters. */
export class PresenceRefresher implements RegistryListener {
  readonly #options: PresenceRefresherOptions;
  /** When a cluster was last written, by name; whose turn is longest ago comes first. */
  readonly #writtenMs = new Map<string, number>();
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
    this.#wrote(agent.clusterName);
  }

  closed({ agent }: AgentSession): void {
    const name = agent.clusterName;
    if (this.#options.registry.ofCluster(name).size === 0) this.#writtenMs.delete(name);
  }

  #wrote(name: string): void {
    this.#writtenMs.delete(name);
    this.#writtenMs.set(name, this.#options.clock.monotonicMs());
  }

  #tick(): void {
    const { registry, clock, refresh } = this.#options;
    const nowMs = clock.monotonicMs();
    const due = [...this.#writtenMs].slice(0, maxPerTick).filter(([, ms]) => nowMs - ms >= refreshMs);
    for (const [name] of due) {
      this.#wrote(name);
      const [session] = registry.ofCluster(name);
      if (session !== undefined) refresh(session);
    }
    this.start();
  }
}
