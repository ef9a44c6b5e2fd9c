import { insertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";
import { agentOf, lockCluster, type Agent, type ClusterIdentity } from "./agent.ts";

export interface JoinAttempt {
  readonly tokenHash: string;
  /** Ed25519, 32 bytes as base64url. */
  readonly publicKey: string;
  readonly clusterUid: string;
}

/**
 * Why an agent may not join:
 * - `unknown-token`: no such token, or its Cluster is gone
 * - `used-token`: somebody has joined with it, with another key or from another cluster
 * - `expired-token`: its time is over, or it was revoked
 * - `other-cluster`: an agent of another cluster has joined as this Cluster
 * - `used-key`: the key belongs to an agent of another Cluster, or was revoked
 */
export type JoinRefusal = "unknown-token" | "used-token" | "expired-token" | "other-cluster" | "used-key";

export type JoinOutcome =
  | { readonly agent: Agent; readonly cluster: ClusterIdentity; readonly refusal?: undefined }
  | {
      readonly refusal: JoinRefusal;
      readonly cluster?: ClusterIdentity | undefined;
      readonly agent?: undefined;
    };

/** Decides about one attempt to join, with everything it depends on locked. */
export class JoinTransaction {
  readonly #engine: Engine;
  readonly #newId: () => string;
  readonly #nowMs: number;

  constructor(engine: Engine, newId: () => string, nowMs: number) {
    this.#engine = engine;
    this.#newId = newId;
    this.#nowMs = nowMs;
  }

  *run(attempt: JoinAttempt): Transaction<JoinOutcome> {
    const token = yield* this.#lockToken(attempt.tokenHash);
    if (token === undefined) return { refusal: "unknown-token" };
    const cluster = yield* lockCluster(this.#engine, { id: token.cluster_id });
    if (cluster === undefined || cluster.isDeleted) return { refusal: "unknown-token" };
    if (token.used_at !== null) return yield* this.#repeat(token, attempt, cluster);
    if (token.expires_at <= this.#nowMs) return { refusal: "expired-token", cluster };
    const agents = yield* this.#agentsOf(cluster.id);
    if (agents.some(({ clusterUid }) => clusterUid !== attempt.clusterUid)) {
      return { refusal: "other-cluster", cluster };
    }
    const known = yield* this.#agentWithKey(attempt.publicKey);
    const isOwn = agents.some(({ id }) => id === known?.id);
    if (known !== undefined && !isOwn) return { refusal: "used-key", cluster };
    const agent =
      known === undefined ? yield* this.#register(attempt, cluster) : agentOf(known, cluster.name);
    yield* this.#useUp(token, agent);
    return { agent, cluster };
  }

  *#lockToken(hash: string): Transaction<RowOf<"join_tokens"> | undefined> {
    const query = this.#engine.queries.selectFrom("join_tokens").selectAll().where("hash", "=", hash);
    return yield* firstRowOf(this.#engine.dialect === "postgres" ? query.forUpdate() : query);
  }

  /** The answer got lost on the way: a second attempt with the same key is of the same agent. */
  *#repeat(
    token: RowOf<"join_tokens">,
    { publicKey, clusterUid }: JoinAttempt,
    cluster: ClusterIdentity,
  ): Transaction<JoinOutcome> {
    const known = yield* this.#agentWithKey(publicKey);
    const isSame =
      known?.id === token.agent_id && known?.cluster_uid === clusterUid && known.revoked_at === null;
    return isSame ? { agent: agentOf(known, cluster.name), cluster } : { refusal: "used-token", cluster };
  }

  /** The agents whose keys work. */
  *#agentsOf(clusterId: string): Transaction<Agent[]> {
    const query = this.#engine.queries
      .selectFrom("agents")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("revoked_at", "is", null);
    return (yield* rowsOf(query)).map((row) => agentOf(row, undefined));
  }

  *#agentWithKey(publicKey: string): Transaction<RowOf<"agents"> | undefined> {
    return yield* firstRowOf(
      this.#engine.queries.selectFrom("agents").selectAll().where("public_key", "=", publicKey),
    );
  }

  *#register({ publicKey, clusterUid }: JoinAttempt, cluster: ClusterIdentity): Transaction<Agent> {
    const { queries } = this.#engine;
    const last = yield* firstRowOf(
      queries
        .selectFrom("agents")
        .select((eb) => eb.fn.max("generation").as("generation"))
        .where("cluster_id", "=", cluster.id),
    );
    yield* run(
      queries
        .updateTable("agents")
        .set({ revoked_at: this.#nowMs })
        .where("cluster_id", "=", cluster.id)
        .where("revoked_at", "is", null),
    );
    const row: RowOf<"agents"> = {
      id: this.#newId(),
      cluster_id: cluster.id,
      public_key: publicKey,
      cluster_uid: clusterUid,
      generation: (last?.generation ?? 0) + 1,
      created_at: this.#nowMs,
      revoked_at: null,
    };
    yield* run(insertRows("agents", [row]));
    return agentOf(row, cluster.name);
  }

  *#useUp({ hash }: RowOf<"join_tokens">, agent: Agent): Transaction<void> {
    yield* run(
      this.#engine.queries
        .updateTable("join_tokens")
        .set({ used_at: this.#nowMs, agent_id: agent.id })
        .where("hash", "=", hash),
    );
  }
}
