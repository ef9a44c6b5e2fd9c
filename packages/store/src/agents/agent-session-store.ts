import { Cluster } from "@bowline/api";
import type { Clock } from "@bowline/core";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run } from "../engine/transaction.ts";
export interface OpenSession {
  readonly id: string;
  readonly clusterId: string;
  /** The lease of the replica that holds it. */
  readonly lease: string;
  readonly openedAtMs: number;
}

/** A session that is open on some replica. */
export interface HeldSession {
  readonly id: string;
  /** Name of the Cluster. */
  readonly cluster: string;
  /** Names the replica that holds it; missing for one that takes no agents any more. */
  readonly replica?: string | undefined;
  readonly openedAtMs: number;
}

export interface AbandonedSession {
  readonly id: string;
  readonly clusterId: string;
  /** Missing when the Cluster is gone. */
  readonly clusterName?: string | undefined;
  /** When the lease of its replica ended; missing when nobody remembers. */
  readonly leaseEndedAtMs?: number | undefined;
}

const oneStatement = { isOneStatement: true };

/**
 * The open sessions of agents, on all replicas.
 *
 * A row is written when a session opens and marked when it closes; it is removed once the status of its Cluster says so.
 * A row left by a replica that died has a lease that has ended, and is found by the others.
 */
export class AgentSessionStore {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;

  constructor(engine: Engine, clock: Pick<Clock, "now">) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async open(sessions: readonly OpenSession[]): Promise<void> {
    const rows = sessions.map(({ id, clusterId, lease, openedAtMs }) => ({
      id,
      cluster_id: clusterId,
      lease,
      opened_at: openedAtMs,
      closed_at: null,
    }));
    // Again where it was not known whether the first time succeeded.
    await this.#engine.commit(() => run(upsertRows("agent_sessions", rows)));
  }

  /** They count no more. Leaves alone what belongs to a replica that lives, unless `lease` is its own. */
  async close(ids: readonly string[], lease: string): Promise<void> {
    if (ids.length === 0) return;
    const close = this.#engine.queries
      .updateTable("agent_sessions")
      .set({ closed_at: this.#clock.now() })
      .where("id", "in", ids)
      .where("lease", "not in", this.#othersThatLive(lease));
    await this.#engine.commit(() => run(close), oneStatement);
  }

  /** Their end has been told. Of a replica that was taken for dead and has come back, it leaves what it has written since. */
  async remove(ids: readonly string[], lease: string): Promise<void> {
    if (ids.length === 0) return;
    const remove = this.#engine.queries
      .deleteFrom("agent_sessions")
      .where("id", "in", ids)
      .where("lease", "not in", this.#othersThatLive(lease));
    await this.#engine.commit(() => run(remove), oneStatement);
  }

  /** Since when a cluster has been connected: when the oldest session began that is open; undefined when none is. */
  async connectedSince(clusterId: string): Promise<number | undefined> {
    const oldest = this.#engine.queries
      .selectFrom("agent_sessions as session")
      .innerJoin("leases", "leases.key", "session.lease")
      .select("session.opened_at")
      .where("session.cluster_id", "=", clusterId)
      .where("session.closed_at", "is", null)
      .where("leases.expires_at", ">", this.#engine.nowMs())
      .orderBy("session.opened_at")
      .limit(1);
    return (await this.#engine.read(() => firstRowOf(oldest)))?.opened_at;
  }

  /** The sessions that are open on any replica, of one cluster or of all, by cluster; at most `limit`. */
  async listOpen({
    cluster,
    limit,
  }: {
    cluster?: string | undefined;
    limit: number;
  }): Promise<HeldSession[]> {
    let open = this.#engine.queries
      .selectFrom("agent_sessions as session")
      .innerJoin("leases", "leases.key", "session.lease")
      .innerJoin("objects", "objects.id", "session.cluster_id")
      .leftJoin("replicas", "replicas.lease", "session.lease")
      .select(["session.id", "objects.name", "session.opened_at", "replicas.id as replica"])
      .where("objects.kind", "=", Cluster.kind)
      .where("session.closed_at", "is", null)
      .where("leases.expires_at", ">", this.#engine.nowMs());
    if (cluster !== undefined) open = open.where("objects.name", "=", cluster);
    const inOrder = open.orderBy("objects.name").orderBy("session.id").limit(limit);
    const rows = await this.#engine.read(() => rowsOf(inOrder));
    return rows.map(({ id, name, opened_at: openedAtMs, replica }) => ({
      id,
      cluster: name,
      openedAtMs,
      ...(replica === null ? {} : { replica }),
    }));
  }

  /** Sessions of replicas that are gone, at most `limit`. */
  async listAbandoned(limit: number): Promise<AbandonedSession[]> {
    const abandoned = this.#engine.queries
      .selectFrom("agent_sessions as session")
      .leftJoin("leases", "leases.key", "session.lease")
      .leftJoin("objects", "objects.id", "session.cluster_id")
      .select(["session.id", "session.cluster_id", "objects.name", "leases.expires_at"])
      .where((eb) =>
        eb.or([eb("leases.key", "is", null), eb("leases.expires_at", "<=", this.#engine.nowMs())]),
      )
      .orderBy("session.id")
      .limit(limit);
    const rows = await this.#engine.read(() => rowsOf(abandoned));
    return rows.map(({ id, cluster_id: clusterId, name, expires_at: leaseEndedAtMs }) => ({
      id,
      clusterId,
      ...(name === null ? {} : { clusterName: name }),
      ...(leaseEndedAtMs === null ? {} : { leaseEndedAtMs }),
    }));
  }

  /** Looked up by the statement that needs it: a replica may come back at any time. */
  #othersThatLive(lease: string) {
    return this.#engine.queries
      .selectFrom("leases")
      .select("key")
      .where("key", "!=", lease)
      .where("expires_at", ">", this.#engine.nowMs());
  }
}
