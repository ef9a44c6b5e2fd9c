import { Cluster } from "@bowline/api";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";

export interface Replica {
  /** Names the process, and is never used again. */
  readonly id: string;
  /** Key of the lease that lasts while it lives. */
  readonly lease: string;
  /** Where other replicas reach it. */
  readonly url: string;
  /** Where agents reach it, or a load balancer before it. */
  readonly agentUrls: readonly string[];
  /** Of Bowline; missing for one that is too old to have told. */
  readonly version?: string | undefined;
}

/** More of them than anybody runs. */
const maxReplicas = 1_000;
/** Of one cluster: an agent is one pod, or two. */
const maxHolders = 32;

/** The servers that take agents, and requests for them: those whose lease lasts, and that are not about to stop. */
export class ReplicaStore {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Makes one known, or changes what is known of it, and forgets those that have died. */
  async register(replica: Replica): Promise<void> {
    await this.#engine.commit(() => this.#register(replica));
  }

  /** It takes nothing new any more. */
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

  /** The replicas that have a session with an agent of the cluster of this name, the latest session first. */
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

  /**
   * The replicas before this one are known to be gone: what they held is theirs until then, and no longer. Those whose
   * leases end sooner, or that hold nothing, are left alone.
   */
  async endOthers(lease: string, atMs: number): Promise<void> {
    const { queries } = this.#engine;
    const end = queries
      .updateTable("leases")
      .set({ expires_at: atMs })
      .where("key", "in", queries.selectFrom("agent_sessions").select("lease").where("lease", "!=", lease))
      .where("expires_at", ">", atMs);
    await this.#engine.commit(() => run(end), { isOneStatement: true });
  }

  *#register({ id, lease, url, agentUrls, version }: Replica): Transaction<void> {
    const { queries } = this.#engine;
    const living = queries.selectFrom("leases").select("key").where("expires_at", ">", this.#engine.nowMs());
    yield* run(queries.deleteFrom("replicas").where("lease", "not in", living));
    yield* run(
      upsertRows("replicas", [
        { id, lease, url, agent_urls: JSON.stringify(agentUrls), version: version ?? null },
      ]),
    );
  }
}

function replicaOf({ id, lease, url, agent_urls: agentUrls, version }: RowOf<"replicas">): Replica {
  return { id, lease, url, agentUrls: JSON.parse(agentUrls), ...(version === null ? {} : { version }) };
}
