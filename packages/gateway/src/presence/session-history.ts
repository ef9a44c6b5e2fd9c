import type { Clock } from "@bowline/core";

import type { AgentRegistry, RegistryListener } from "../session/agent-registry.ts";
import type { AgentSession, SessionEnd } from "../session/agent-session.ts";

/** A session that is over. */
export interface EndedSession {
  readonly id: string;
  readonly cluster: string;
  readonly openedAtMs: number;
  readonly endedAtMs: number;
  readonly end: SessionEnd;
}

const maxEndedPerCluster = 5;
const maxClusters = 1_000;

/** How the last sessions with this process ended, for whoever asks why an agent was away. It is gone with the process. */
export class SessionHistory implements RegistryListener {
  readonly #clock: Pick<Clock, "now">;
  /** By cluster, the one that lost a session last at the end. */
  readonly #ended = new Map<string, readonly EndedSession[]>();

  constructor(registry: Pick<AgentRegistry, "subscribe">, clock: Pick<Clock, "now">) {
    this.#clock = clock;
    registry.subscribe(this);
  }

  opened(): void {}

  closed({ id, agent, openedAtMs }: AgentSession, end: SessionEnd): void {
    const cluster = agent.clusterName;
    const before = this.#ended.get(cluster) ?? [];
    const ended = { id, cluster, openedAtMs, endedAtMs: this.#clock.now(), end };
    this.#ended.delete(cluster);
    this.#ended.set(cluster, [ended, ...before].slice(0, maxEndedPerCluster));
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > maxClusters && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** The latest first. */
  of(cluster: string): readonly EndedSession[] {
    return this.#ended.get(cluster) ?? [];
  }
}
