import { BowlineError } from "@bowline/core";

import type { AgentConnection } from "../listener/agent-connection.ts";
import type { AgentSession, SessionEnd } from "./agent-session.ts";

export interface RegistryListener {
  opened(session: AgentSession): void;
  closed(session: AgentSession, end: SessionEnd): void;
}

/** An agent is one pod, or two; a cluster with more sessions than this is out of order. */
const maxSessionsPerCluster = 16;

const none: ReadonlySet<AgentSession> = new Set();

/** The agents that are connected to this process. */
export class AgentRegistry {
  readonly #byId = new Map<string, AgentSession>();
  readonly #byCluster = new Map<string, Set<AgentSession>>();
  readonly #byConnection = new WeakMap<AgentConnection, AgentSession>();
  readonly #listeners: RegistryListener[] = [];

  get size(): number {
    return this.#byId.size;
  }

  sessions(): IterableIterator<AgentSession> {
    return this.#byId.values();
  }

  /** Names of the clusters that have one. */
  clusters(): readonly string[] {
    return [...this.#byCluster.keys()];
  }

  ofCluster(name: string): ReadonlySet<AgentSession> {
    return this.#byCluster.get(name) ?? none;
  }

  find(id: string): AgentSession | undefined {
    return this.#byId.get(id);
  }

  /** The last session that was opened over a connection, while it is open. */
  findByConnection(connection: AgentConnection): AgentSession | undefined {
    const session = this.#byConnection.get(connection);
    return session !== undefined && this.#byId.has(session.id) ? session : undefined;
  }

  /** Tells of every session from now on. */
  subscribe(listener: RegistryListener): void {
    this.#listeners.push(listener);
  }

  /** `TooManyRequests` when the cluster has enough of them. */
  add(session: AgentSession): void {
    const name = session.agent.clusterName;
    const ofCluster = this.#byCluster.get(name) ?? new Set();
    if (ofCluster.size >= maxSessionsPerCluster) {
      throw new BowlineError(
        "TooManyRequests",
        `The cluster ${name} has ${ofCluster.size} agents connected already; run one or two.`,
      );
    }
    ofCluster.add(session);
    this.#byCluster.set(name, ofCluster);
    this.#byId.set(session.id, session);
    this.#byConnection.set(session.connection, session);
    for (const listener of this.#listeners) listener.opened(session);
  }

  remove(session: AgentSession, end: SessionEnd): void {
    if (!this.#byId.delete(session.id)) return;
    const name = session.agent.clusterName;
    const ofCluster = this.#byCluster.get(name);
    ofCluster?.delete(session);
    if (ofCluster?.size === 0) this.#byCluster.delete(name);
    for (const listener of this.#listeners) listener.closed(session, end);
  }
}
