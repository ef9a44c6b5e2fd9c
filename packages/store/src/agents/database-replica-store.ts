import { Cluster } from "@bowline/api";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Program } from "../engine/program.ts";
import type { RowOf } from "../engine/tables.ts";
import type { Replica, ReplicaStore } from "./replica-store.ts";

/** More of them than anybody runs. */
const maxReplicas = 1_000;
/** Of one cluster: an agent is one pod, or two. */
const maxHolders = 32;

export class DatabaseReplicaStore implements ReplicaStore {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async register(replica: Replica): Promise<void> {
    await this.#engine.commit(() => this.#register(replica));
  }

  async remove(id: string): Promise<void> {
    const remove = this.#engine.queries.deleteFrom("replicas").where("id", "=", id);
    await this.#engine.commit(() => run(remove), { isOneStatement: true });
  }

  async list(): Promise<Replica[]> {
    const query = this.#engine.queries
      .selectFrom("replicas")
      .innerJoin("leases", "leases.key", "replicas.lease")
      .selectAll("replicas")
      .where("leases.expires_at", ">", this.#engine.nowMs())
      .orderBy("replicas.id")
      .limit(maxReplicas);
    return (await this.#engine.read(() => rowsOf(query))).map(replicaOf);
  }

  async holdersOf(cluster: string): Promise<Replica[]> {
    const query = this.#engine.queries
      .selectFrom("objects")
      .innerJoin("agent_sessions as session", "session.cluster_id", "objects.id")
      .innerJoin("leases", "leases.key", "session.lease")
      .innerJoin("replicas", "replicas.lease", "session.lease")
      .selectAll("replicas")
      .where("objects.kind", "=", Cluster.kind)
      .where("objects.name", "=", cluster)
      .where("session.closed_at", "is", null)
      .where("leases.expires_at", ">", this.#engine.nowMs())
      .orderBy("session.opened_at", "desc")
      .limit(maxHolders);
    const rows = await this.#engine.read(() => rowsOf(query));
    return [...new Map(rows.map((row) => [row.id, replicaOf(row)])).values()];
  }

  *#register({ id, lease, url, agentUrls }: Replica): Program<void> {
    const { queries } = this.#engine;
    const living = queries.selectFrom("leases").select("key").where("expires_at", ">", this.#engine.nowMs());
    yield* run(queries.deleteFrom("replicas").where("lease", "not in", living));
    yield* run(upsertRows("replicas", [{ id, lease, url, agent_urls: JSON.stringify(agentUrls) }]));
  }
}

function replicaOf({ id, lease, url, agent_urls: agentUrls }: RowOf<"replicas">): Replica {
  return { id, lease, url, agentUrls: JSON.parse(agentUrls) };
}
