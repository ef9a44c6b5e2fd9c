import type { Clock } from "@bowline/core";
import { sql } from "kysely";

import type { Engine } from "./engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "./engine/transaction.ts";
import { nextGraph, pruneGraph } from "./graph/prune-graph.ts";
import { logIds, markForgotten } from "./log/log-state.ts";
import { clusterEventSource } from "./records/cluster-events.ts";
import { pruneBlobs, pruneRevisions } from "./workloads/prune-revisions.ts";

/** How long things are kept; what is not named is kept for ever. */
export interface RetentionPolicy {
  readonly changesMs?: number;
  readonly auditMs?: number;
  readonly eventsMs?: number;
  /** How many Events of one cluster are kept, whatever their age: a cluster may make up any number of them. */
  readonly eventsPerCluster?: number;
  /** For how long after they were over the versions of graphs are kept. */
  readonly graphMs?: number;
}

/** How much was forgotten. */
export interface Pruned {
  readonly changes: number;
  readonly audit: number;
  readonly events: number;
  readonly answers: number;
  readonly leases: number;
  readonly joinTokens: number;
  readonly agents: number;
  readonly revisions: number;
  /** Contents of revisions. */
  readonly blobs: number;
  /** Versions in the graphs of clusters. */
  readonly graph: number;
}

/** Small enough that nobody has to wait noticeably for one transaction. */
const batchSize = 500;
/** Tokens of leases grow by time; this is the most a clock may be set back without one being given out twice. */
const leaseGraceMs = 24 * 60 * 60 * 1_000;
/** So long an agent that tries one again is told that it has run out, rather than that nobody knows it. */
const joinTokenGraceMs = 7 * 24 * 60 * 60 * 1_000;

type Delete = (beforeMs: number) => Transaction<number>;

/** Deletes what is too old. */
export class Retention {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;

  constructor(engine: Engine, clock: Pick<Clock, "now">) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /**
   * Deletes what is older than the policy says, answers, leases and join tokens that have run out, the keys of agents
   * whose Cluster is gone, and revisions that nobody needs, in small transactions.
   */
  async prune(policy: RetentionPolicy, signal?: AbortSignal): Promise<Pruned> {
    const nowMs = this.#clock.now();
    const before = (keepMs = Infinity): number => nowMs - keepMs;
    await this.#repeat(() => this.#deleteEmptyCounts(), nowMs, signal);
    return {
      changes: await this.#repeat((beforeMs) => this.#compact(beforeMs), before(policy.changesMs), signal),
      audit: await this.#repeat((beforeMs) => this.#deleteAudit(beforeMs), before(policy.auditMs), signal),
      events:
        (await this.#repeat((beforeMs) => this.#deleteEvents(beforeMs), before(policy.eventsMs), signal)) +
        (await this.#trimClusterEvents(policy.eventsPerCluster ?? Infinity, signal)),
      answers: await this.#repeat((beforeMs) => this.#deleteAnswers(beforeMs), nowMs, signal),
      leases: await this.#repeat((beforeMs) => this.#deleteLeases(beforeMs), before(leaseGraceMs), signal),
      joinTokens: await this.#repeat(
        (beforeMs) => this.#deleteJoinTokens(beforeMs),
        before(joinTokenGraceMs),
        signal,
      ),
      agents: await this.#repeat(() => this.#deleteAgents(), nowMs, signal),
      // Before the contents, which go when no revision names them.
      revisions: await this.#repeat(() => pruneRevisions(this.#engine, batchSize), nowMs, signal),
      blobs: await this.#repeat(() => pruneBlobs(this.#engine, batchSize), nowMs, signal),
      graph: await this.#pruneGraphs(before(policy.graphMs), signal),
    };
  }

  /** The versions of a cluster that is gone go whatever the policy says. */
  async #pruneGraphs(beforeMs: number, signal: AbortSignal | undefined): Promise<number> {
    let total = 0;
    let clusterId = await nextGraph(this.#engine, "");
    while (clusterId !== undefined) {
      const id = clusterId;
      const work: Delete = (timeMs) => pruneGraph(this.#engine, id, timeMs, batchSize);
      total += await this.#repeat(work, Math.max(beforeMs, 0), signal);
      clusterId = await nextGraph(this.#engine, id);
    }
    return total;
  }

  async #repeat(work: Delete, beforeMs: number, signal: AbortSignal | undefined): Promise<number> {
    if (!Number.isFinite(beforeMs)) return 0;
    let total = 0;
    for (;;) {
      signal?.throwIfAborted();
      const deleted = await this.#engine.commit(() => work(beforeMs));
      total += deleted;
      if (deleted < batchSize) return total;
    }
  }

  /**
   * The mark is moved in the same transaction, so that nobody reads a log with a hole in it. A change beyond the mark
   * stays until the next change of the same object is beyond it too: a watcher is told by it what the object was before.
   */
  *#compact(beforeMs: number): Transaction<number> {
    const { queries, dialect } = this.#engine;
    const state = queries.selectFrom("store_state").select("compacted").where("id", "=", 1);
    // Locked, so that a replica that does the same and is slower never moves the mark back.
    const mark = yield* firstRowOf(dialect === "postgres" ? state.forUpdate() : state);
    const oldest = yield* rowsOf(
      queries
        .selectFrom("changes")
        .select(["revision", "at", "type", "previous_revision"])
        .where("revision", ">", mark?.compacted ?? 0)
        .orderBy("revision")
        .limit(batchSize),
    );
    const firstKept = oldest.findIndex(({ at }) => at >= beforeMs);
    const expired = firstKept < 0 ? oldest : oldest.slice(0, firstKept);
    const last = expired.at(-1)?.revision;
    if (last === undefined) return 0;
    yield* run(queries.updateTable("store_state").set({ compacted: last }).where("id", "=", 1));
    const useless = expired.flatMap(({ revision, type, previous_revision: previous }) => [
      ...(previous === null ? [] : [previous]),
      ...(type === "DELETED" ? [revision] : []),
    ]);
    if (useless.length > 0) yield* run(queries.deleteFrom("changes").where("revision", "in", useless));
    return expired.length;
  }

  *#deleteAudit(beforeMs: number): Transaction<number> {
    const { queries } = this.#engine;
    // Ids begin with the time; the table is read from its old end and no further than it has to be.
    const oldest = yield* rowsOf(
      queries.selectFrom("audit").select(["id", "at"]).orderBy("id").limit(batchSize),
    );
    const ids = oldest.filter(({ at }) => at < beforeMs).map(({ id }) => id);
    if (ids.length > 0) yield* run(queries.deleteFrom("audit").where("id", "in", ids));
    return ids.length;
  }

  *#deleteEvents(beforeMs: number): Transaction<number> {
    const { queries } = this.#engine;
    const oldest = yield* rowsOf(
      queries
        .selectFrom("events")
        .select(["fold_key", "revision"])
        .where("last_seen_at", "<", beforeMs)
        .orderBy("last_seen_at")
        .limit(batchSize),
    );
    return yield* this.#forgetEvents(oldest, beforeMs);
  }

  /** Of clusters with more Events than this, the oldest go. */
  async #trimClusterEvents(most: number, signal: AbortSignal | undefined): Promise<number> {
    if (!Number.isFinite(most)) return 0;
    const { queries } = this.#engine;
    const crowded = await this.#engine.read(() =>
      rowsOf(
        queries
          .selectFrom("events")
          .select(["regarding_cluster as cluster"])
          .select((eb) => eb.fn.countAll<number>().as("count"))
          .where("source", "=", clusterEventSource)
          .groupBy("regarding_cluster")
          .having((eb) => eb(eb.fn.countAll(), ">", most)),
      ),
    );
    let total = 0;
    for (const { cluster, count } of crowded) {
      for (let left = count - most; left > 0; left -= batchSize) {
        signal?.throwIfAborted();
        const limit = Math.min(left, batchSize);
        total += await this.#engine.commit(() => this.#deleteOldestEvents(cluster, limit));
      }
    }
    return total;
  }

  *#deleteOldestEvents(cluster: string | null, limit: number): Transaction<number> {
    const oldest = yield* rowsOf(
      this.#engine.queries
        .selectFrom("events")
        .select(["fold_key", "revision"])
        .where("source", "=", clusterEventSource)
        .where("regarding_cluster", "=", cluster)
        .orderBy("last_seen_at")
        .limit(limit),
    );
    return yield* this.#forgetEvents(oldest, Number.MAX_SAFE_INTEGER);
  }

  *#forgetEvents(
    oldest: readonly { readonly fold_key: string; readonly revision: number }[],
    beforeMs: number,
  ): Transaction<number> {
    const { queries } = this.#engine;
    if (oldest.length === 0) return 0;
    const keys = oldest.map((row) => row.fold_key);
    const newest = Math.max(...oldest.map((row) => row.revision));
    yield* markForgotten(this.#engine, logIds.events, newest);
    // Asked again, because an event may have happened once more in the meantime.
    yield* run(
      queries.deleteFrom("events").where("fold_key", "in", keys).where("last_seen_at", "<", beforeMs),
    );
    return keys.length;
  }

  *#deleteAnswers(beforeMs: number): Transaction<number> {
    const { queries } = this.#engine;
    const expired = yield* rowsOf(
      queries
        .selectFrom("answers")
        .select(["actor", "key"])
        .where("expires_at", "<=", beforeMs)
        .orderBy("expires_at")
        .limit(batchSize),
    );
    for (const { actor, key } of expired) {
      yield* run(
        queries
          .deleteFrom("answers")
          .where("actor", "=", actor)
          .where("key", "=", key)
          .where("expires_at", "<=", beforeMs),
      );
    }
    return expired.length;
  }

  *#deleteLeases(beforeMs: number): Transaction<number> {
    const { queries } = this.#engine;
    const ended = yield* rowsOf(
      queries
        .selectFrom("leases")
        .select("key")
        .where("expires_at", "<", beforeMs)
        .orderBy("expires_at")
        .limit(batchSize),
    );
    const keys = ended.map(({ key }) => key);
    if (keys.length > 0) {
      yield* run(queries.deleteFrom("leases").where("key", "in", keys).where("expires_at", "<", beforeMs));
    }
    return keys.length;
  }

  *#deleteJoinTokens(beforeMs: number): Transaction<number> {
    const { queries } = this.#engine;
    const ended = yield* rowsOf(
      queries
        .selectFrom("join_tokens")
        .select("hash")
        .where("expires_at", "<", beforeMs)
        .orderBy("expires_at")
        .limit(batchSize),
    );
    const hashes = ended.map(({ hash }) => hash);
    if (hashes.length > 0) yield* run(queries.deleteFrom("join_tokens").where("hash", "in", hashes));
    return hashes.length;
  }

  /** An id is never given again, so a Cluster that is gone does not come back. */
  *#deleteAgents(): Transaction<number> {
    const { queries } = this.#engine;
    const orphans = yield* rowsOf(
      queries
        .selectFrom("agents")
        .leftJoin("objects", "objects.id", "agents.cluster_id")
        .select("agents.id")
        .where("objects.id", "is", null)
        .limit(batchSize),
    );
    const ids = orphans.map(({ id }) => id);
    if (ids.length > 0) yield* run(queries.deleteFrom("agents").where("id", "in", ids));
    return ids.length;
  }

  /** Numbers of values that no object has any more. */
  *#deleteEmptyCounts(): Transaction<number> {
    const { queries } = this.#engine;
    const empty = yield* rowsOf(
      queries
        .selectFrom("object_counts")
        .select(["kind", "term", "value"])
        .where(sql<boolean>`count = 0`)
        .limit(batchSize),
    );
    for (const { kind, term, value } of empty) {
      yield* run(
        queries
          .deleteFrom("object_counts")
          .where("kind", "=", kind)
          .where("term", "=", term)
          .where("value", "=", value)
          .where("count", "=", 0),
      );
    }
    return empty.length;
  }
}
