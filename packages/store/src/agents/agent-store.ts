import { BowlineError, type Clock } from "@bowline/core";

import { insertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { auditRow, type NewAuditRecord } from "../records/audit-log.ts";
import { AgentSessionStore } from "./agent-session-store.ts";
import { agentOf, lockCluster, type Agent, type ClusterIdentity } from "./agent.ts";
import { JoinTransaction, type JoinAttempt, type JoinOutcome } from "./join-transaction.ts";
import { ReplicaStore } from "./replica-store.ts";

export interface NewJoinToken {
  /** Of the secret in the token. */
  readonly hash: string;
  /** Name of the Cluster. */
  readonly cluster: string;
  readonly expiresAtMs: number;
}

export interface Revoked {
  readonly cluster: ClusterIdentity;
  readonly agentIds: readonly string[];
  readonly joinTokens: number;
}

/** Agents: who may join, who has joined with which key, and who is connected where. */
export class AgentStore {
  readonly sessions: AgentSessionStore;
  readonly replicas: ReplicaStore;
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: () => string;

  constructor(engine: Engine, clock: Pick<Clock, "now">, newId: () => string) {
    this.#engine = engine;
    this.#clock = clock;
    this.#newId = newId;
    this.sessions = new AgentSessionStore(engine, clock);
    this.replicas = new ReplicaStore(engine);
  }

  /** `NotFound` when there is no such Cluster, `Conflict` when it is being deleted. */
  async createJoinToken(token: NewJoinToken, audit?: () => NewAuditRecord): Promise<ClusterIdentity> {
    return this.#engine.commit(() => this.#createJoinToken(token, audit));
  }

  /**
   * Uses a join token up and registers the key, in one transaction. The key becomes the only one of its cluster: those
   * from before are revoked. The same token with the same key and cluster again is answered again.
   */
  async join(
    attempt: JoinAttempt,
    audit?: (outcome: JoinOutcome) => NewAuditRecord | undefined,
  ): Promise<JoinOutcome> {
    return this.#engine.commit(() => this.#join(attempt, audit));
  }

  async find(agentId: string): Promise<Agent | undefined> {
    const query = this.#engine.queries
      .selectFrom("agents")
      .leftJoin("objects", "objects.id", "agents.cluster_id")
      .selectAll("agents")
      .select("objects.name")
      .where("agents.id", "=", agentId);
    const row = await this.#engine.read(() => firstRowOf(query));
    return row === undefined ? undefined : agentOf(row, row.name ?? undefined);
  }

  /** Which of these agents may not be connected any more: revoked, unknown, or of a Cluster that is gone. */
  async findEnded(agentIds: readonly string[]): Promise<string[]> {
    if (agentIds.length === 0) return [];
    const query = this.#engine.queries
      .selectFrom("agents")
      .innerJoin("objects", "objects.id", "agents.cluster_id")
      .select("agents.id")
      .where("agents.id", "in", agentIds)
      .where("agents.revoked_at", "is", null);
    const working = new Set((await this.#engine.read(() => rowsOf(query))).map(({ id }) => id));
    return agentIds.filter((id) => !working.has(id));
  }

  /**
   * Revokes every key of a cluster, with their sessions, and the join tokens nobody has used. `NotFound` when there is
   * no such Cluster.
   */
  async revoke(cluster: string, audit?: (revoked: Revoked) => NewAuditRecord): Promise<Revoked> {
    return this.#engine.commit(() => this.#revoke(cluster, audit));
  }

  *#createJoinToken(
    { hash, cluster, expiresAtMs }: NewJoinToken,
    audit: (() => NewAuditRecord) | undefined,
  ): Transaction<ClusterIdentity> {
    const nowMs = this.#clock.now();
    const found = yield* lockCluster(this.#engine, { name: cluster });
    if (found === undefined) throw noSuchCluster(cluster);
    if (found.isDeleted) {
      throw new BowlineError("Conflict", `The Cluster ${cluster} is being deleted; no agent can join it.`, {
        retryable: false,
      });
    }
    const row = { hash, cluster_id: found.id, created_at: nowMs, expires_at: expiresAtMs };
    yield* run(insertRows("join_tokens", [{ ...row, used_at: null, agent_id: null }]));
    yield* this.#record(audit?.(), nowMs);
    return { id: found.id, name: found.name };
  }

  *#join(
    attempt: JoinAttempt,
    audit: ((outcome: JoinOutcome) => NewAuditRecord | undefined) | undefined,
  ): Transaction<JoinOutcome> {
    const nowMs = this.#clock.now();
    const outcome = yield* new JoinTransaction(this.#engine, this.#newId, nowMs).run(attempt);
    yield* this.#record(audit?.(outcome), nowMs);
    return outcome;
  }

  *#revoke(name: string, audit: ((revoked: Revoked) => NewAuditRecord) | undefined): Transaction<Revoked> {
    const { queries } = this.#engine;
    const nowMs = this.#clock.now();
    const cluster = yield* lockCluster(this.#engine, { name });
    if (cluster === undefined) throw noSuchCluster(name);
    const keys = yield* rowsOf(
      queries
        .updateTable("agents")
        .set({ revoked_at: nowMs })
        .where("cluster_id", "=", cluster.id)
        .where("revoked_at", "is", null)
        .returning("id"),
    );
    // The replicas that hold them have yet to hear of it, but they count no more.
    yield* run(
      queries
        .updateTable("agent_sessions")
        .set({ closed_at: nowMs })
        .where("cluster_id", "=", cluster.id)
        .where("closed_at", "is", null),
    );
    const tokens = yield* rowsOf(
      queries
        .updateTable("join_tokens")
        .set({ expires_at: nowMs })
        .where("cluster_id", "=", cluster.id)
        .where("used_at", "is", null)
        .where("expires_at", ">", nowMs)
        .returning("hash"),
    );
    const revoked: Revoked = {
      cluster: { id: cluster.id, name },
      agentIds: keys.map(({ id }) => id),
      joinTokens: tokens.length,
    };
    yield* this.#record(audit?.(revoked), nowMs);
    return revoked;
  }

  *#record(record: NewAuditRecord | undefined, nowMs: number): Transaction<void> {
    if (record !== undefined) yield* run(insertRows("audit", [auditRow(record, this.#newId(), nowMs)]));
  }
}

function noSuchCluster(name: string): BowlineError {
  return new BowlineError("NotFound", `There is no Cluster named ${name}.`);
}
