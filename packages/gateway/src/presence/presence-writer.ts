import { Cluster } from "@bowline/api";
import {
  Backoff,
  BowlineError,
  fullJitterBackoff,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import type { AbandonedSession, OpenSession, NewEvent, Store } from "@bowline/store";

import type { AgentRegistry, RegistryListener } from "../session/agent-registry.ts";
import type { AgentSession, SessionEnd } from "../session/agent-session.ts";
import { observedStatement } from "./observed-condition.ts";
import { presenceEvent, withPresence, type PresenceEnd, type SeenAgent } from "./presence.ts";
import { replicaLeaseMs } from "./replica-lease.ts";

export interface PresenceWriterOptions {
  readonly store: Pick<Store, "objects" | "events" | "agents" | "graph">;
  readonly registry: AgentRegistry;
  /** Key of the lease of this process. */
  readonly lease: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A cluster whose status has to be looked at. */
interface DueCluster {
  readonly id: string;
  readonly name: string;
  readonly seen: SeenAgent | undefined;
  readonly end: PresenceEnd | undefined;
  readonly heldAtMs?: number | undefined;
  /** How much of the cluster is observed may have changed. */
  readonly isCovered?: boolean | undefined;
}

/** As many as the store writes in one transaction. */
const concurrency = 128;
/** Others write to the status as well; a write that meets theirs is decided again. */
const maxConflicts = 10;

/** How long to gather what can be written together. */
const gatherLimitsMs = { shortest: 20, longest: 500, perCluster: 4 };

/**
 * Writes down who is connected: a row for each session, and what follows from the rows into the status of the Cluster.
 *
 * The status is worked out from all rows whenever one of them changes, never from the change itself. So sessions may
 * overlap, and replicas may write at the same time: whoever writes last has seen every row from before.
 */
export class PresenceWriter implements RegistryListener {
  readonly #options: PresenceWriterOptions;
  readonly #backoff: Backoff;
  readonly #closing = new AbortController();
  readonly #opened = new Map<string, OpenSession>();
  readonly #closed = new Set<string>();
  readonly #due = new Map<string, DueCluster>();
  #working: Promise<void> | undefined;

  constructor(options: PresenceWriterOptions) {
    this.#options = options;
    this.#backoff = new Backoff(fullJitterBackoff, options.clock, options.random);
    options.registry.subscribe(this);
  }

  opened(session: AgentSession): void {
    this.#opened.set(session.id, this.#rowOf(session));
    this.#look(session);
  }

  closed(session: AgentSession, end: SessionEnd): void {
    // A server that stops says nothing: the agents are given the time to connect elsewhere.
    if (end === "stopping") return;
    this.#opened.delete(session.id);
    // Even when it was not written yet: the row may be on its way to the database right now.
    this.#closed.add(session.id);
    this.#look(session, end);
  }

  /** Writes down what has changed about a session since it began, such as its round trip; mostly there is nothing. */
  refresh(session: AgentSession): void {
    this.#look(session);
  }

  /** Sessions of a replica that is gone end as if they were of this one. */
  takeOver(sessions: readonly AbandonedSession[]): void {
    for (const { id, clusterId, clusterName, leaseEndedAtMs } of sessions) {
      this.#closed.add(id);
      if (clusterName === undefined) continue;
      // The replica renewed its lease for the last time then, and held the session.
      const heldAtMs = leaseEndedAtMs === undefined ? undefined : leaseEndedAtMs - replicaLeaseMs;
      this.#add({ id: clusterId, name: clusterName, seen: undefined, end: "abandoned", heldAtMs });
    }
    this.#wake();
  }

  /** The keys of a cluster were revoked, whether or not an agent was connected. */
  revoked(cluster: { readonly id: string; readonly name: string }): void {
    this.#add({ ...cluster, seen: undefined, end: "revoked" });
    this.#wake();
  }

  /** The agent has told how much of its cluster is observed. */
  covered(cluster: { readonly id: string; readonly name: string }): void {
    this.#add({ ...cluster, seen: undefined, end: undefined, isCovered: true });
    this.#wake();
  }

  /** Others may have removed the rows of this process. */
  writeAgain(): void {
    for (const session of this.#options.registry.sessions()) this.opened(session);
  }

  /** Resolves when everything that was due is written. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  #rowOf({ id, agent, openedAtMs }: AgentSession): OpenSession {
    return { id, clusterId: agent.clusterId, lease: this.#options.lease, openedAtMs };
  }

  #look(session: AgentSession, end?: SessionEnd): void {
    const { clusterId: id, clusterName: name } = session.agent;
    this.#add({ id, name, seen: seenOf(session), end });
    this.#wake();
  }

  #add(cluster: DueCluster): void {
    const before = this.#due.get(cluster.id);
    const { seen = before?.seen, end = before?.end, heldAtMs = before?.heldAtMs } = cluster;
    const isCovered = cluster.isCovered ?? before?.isCovered;
    this.#due.set(cluster.id, { ...cluster, seen, end, heldAtMs, isCovered });
  }

  #wake(): void {
    if (this.#working !== undefined || this.#closing.signal.aborted) return;
    this.#working = this.#work();
  }

  async #work(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#closing;
    let delayMs = gatherDelayMs(0);
    while (!signal.aborted && this.#opened.size + this.#closed.size + this.#due.size > 0) {
      try {
        await clock.sleep(delayMs, signal);
        const written = await this.#flush();
        this.#backoff.reset();
        delayMs = gatherDelayMs(written);
      } catch (error) {
        if (signal.aborted) break;
        delayMs = this.#backoff.nextDelayMs();
        logger.warn(
          { err: error, delayMs },
          "Who is connected could not be written down; will be tried again",
        );
      }
    }
    this.#working = undefined;
  }

  /** Resolves to how many Clusters it was about. */
  async #flush(): Promise<number> {
    const { lease, store } = this.#options;
    const { sessions } = store.agents;
    const opened = [...this.#opened.values()];
    const closed = [...this.#closed];
    const due = [...this.#due.values()];
    if (opened.length > 0) await sessions.open(opened);
    for (const row of opened) if (this.#opened.get(row.id) === row) this.#opened.delete(row.id);
    await sessions.close(closed, lease);
    await this.#writeAll(due);
    // Not before: when this process dies, others find the rows and tell what it could not.
    if (closed.length > 0) await sessions.remove(closed, lease);
    for (const id of closed) this.#closed.delete(id);
    return due.length;
  }

  async #writeAll(due: readonly DueCluster[]): Promise<void> {
    const events: NewEvent[] = [];
    for (let at = 0; at < due.length; at += concurrency) {
      const together = due.slice(at, at + concurrency);
      const told = await Promise.all(together.map((cluster) => this.#write(cluster)));
      events.push(...told.filter((event) => event !== undefined));
    }
    if (events.length > 0) await this.#options.store.events.record(events);
  }

  async #write(cluster: DueCluster): Promise<NewEvent | undefined> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        const event = await this.#writeOnce(cluster);
        if (this.#due.get(cluster.id) === cluster) this.#due.delete(cluster.id);
        return event;
      } catch (thrown) {
        const { code } = BowlineError.from(thrown);
        if (code === "NotFound") return void this.#due.delete(cluster.id);
        if (code !== "Conflict" || conflicts >= maxConflicts) throw thrown;
      }
    }
  }

  async #writeOnce(due: DueCluster): Promise<NewEvent | undefined> {
    const { id, name, seen, end, heldAtMs } = due;
    const { store, clock, registry } = this.#options;
    // Read before the rows: should a row change after them, the write meets that of whoever changed it.
    const current = await store.objects.get(Cluster, name);
    if (current?.metadata.id !== id) return undefined;
    const connectedSinceMs = await store.agents.sessions.connectedSince(id);
    const here = latest([...registry.ofCluster(name)].filter(({ agent }) => agent.clusterId === id));
    const observed = due.isCovered === true ? observedStatement(await store.graph.coverage(id)) : undefined;
    const lastSeen = here === undefined ? seen : seenOf(here);
    const presence = { connectedSinceMs, seen: lastSeen, end, heldAtMs, observed };
    const { object } = await store.objects.writeStatus(
      Cluster,
      name,
      (cluster) => withPresence(cluster, presence, clock.now()),
      { id, resourceVersion: current.metadata.resourceVersion },
    );
    return presenceEvent(current, object);
  }
}

function latest(sessions: readonly AgentSession[]): AgentSession | undefined {
  return sessions.toSorted((one, other) => other.seenAtMs - one.seenAtMs)[0];
}

function seenOf({ facts, agent, seenAtMs, rttMs }: AgentSession): SeenAgent {
  const { agentVersion: version, kubernetesVersion } = facts;
  return { version, kubernetesVersion, clusterUid: agent.clusterUid, atMs: seenAtMs, rttMs };
}

/**
 * How long to wait for what can be written together, after so many Clusters were written the last time. One agent is
 * seen at once; while thousands come back, each transaction is for a hundred of them, and requests find time in between.
 */
export function gatherDelayMs(writtenClusters: number): number {
  const { shortest, longest, perCluster } = gatherLimitsMs;
  return Math.min(longest, Math.max(shortest, writtenClusters * perCluster));
}
