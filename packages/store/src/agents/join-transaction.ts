import { insertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Program } from "../engine/program.ts";
import type { RowOf } from "../engine/tables.ts";
import type { Agent, ClusterIdentity, JoinAttempt, JoinOutcome } from "./agent-store.ts";
import { agentOf } from "./agent-row.ts";
import { lockCluster } from "./lock-cluster.ts";

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

  *run(attempt: JoinAttempt): Program<JoinOutcome> {
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

  *#lockToken(hash: string): Program<RowOf<"join_tokens"> | undefined> {
    const query = this.#engine.queries.selectFrom("join_tokens").selectAll().where("hash", "=", hash);
    return yield* firstRowOf(this.#engine.dialect === "postgres" ? query.forUpdate() : query);
  }

  /** The answer got lost on the way; whoever asks again with the same key is the same agent. */
  *#repeat(
    token: RowOf<"join_tokens">,
    { publicKey, clusterUid }: JoinAttempt,
    cluster: ClusterIdentity,
  ): Program<JoinOutcome> {
    const known = yield* this.#agentWithKey(publicKey);
    const isSame =
      known?.id === token.agent_id && known?.cluster_uid === clusterUid && known.revoked_at === null;
    return isSame ? { agent: agentOf(known, cluster.name), cluster } : { refusal: "used-token", cluster };
  }

  /** Those whose keys work. */
  *#agentsOf(clusterId: string): Program<Agent[]> {
    const query = this.#engine.queries
      .selectFrom("agents")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("revoked_at", "is", null);
    return (yield* rowsOf(query)).map((row) => agentOf(row, undefined));
  }

  *#agentWithKey(publicKey: string): Program<RowOf<"agents"> | undefined> {
    return yield* firstRowOf(
      this.#engine.queries.selectFrom("agents").selectAll().where("public_key", "=", publicKey),
    );
  }

  *#register({ publicKey, clusterUid }: JoinAttempt, cluster: ClusterIdentity): Program<Agent> {
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

  *#useUp({ hash }: RowOf<"join_tokens">, agent: Agent): Program<void> {
    yield* run(
      this.#engine.queries
        .updateTable("join_tokens")
        .set({ used_at: this.#nowMs, agent_id: agent.id })
        .where("hash", "=", hash),
    );
  }
}
