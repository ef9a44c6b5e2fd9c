import { Backoff, BowlineError, type Clock, type Random, type ResettingBackoffPolicy } from "@bowline/core";

import { clearSome } from "./clear-cluster.ts";
import { ClusterCopy } from "./cluster-copy.ts";
import { copiedClusters, moveCursor, readCursor, removeCursor } from "./cluster-cursor.ts";
import type { GraphSource, SourceCluster } from "./graph-source.ts";
import type { Neo4jDatabase } from "./neo4j-database.ts";
import { prepareDatabase } from "./schema.ts";
import type { SinkMetrics } from "./sink-metrics.ts";

export interface Neo4jSinkOptions {
  /** Names the installation, the same for all its servers. */
  readonly installation: () => Promise<string>;
  /** Whether the database may hold nodes of others. */
  readonly shared: boolean;
  readonly open: () => Promise<Neo4jDatabase>;
  readonly source: GraphSource;
  /** Whether it is this process that writes, of those that could; asked again and again. */
  readonly leads: () => Promise<boolean>;
  /** Nodes and edges written at once; as many as suit Neo4j when not given. */
  readonly batchWeight?: number | undefined;
  readonly metrics?: SinkMetrics | undefined;
  /** Told of every failure, and how long it waits before it tries again. Must not throw. */
  readonly onFailure: (error: BowlineError, delayMs: number) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** How often it looks for changes. */
const intervalMs = 2_000;

const retryBackoff: ResettingBackoffPolicy = {
  baseMs: 1_000,
  maxMs: 60_000,
  factor: 2,
  jitter: 0.5,
  resetAfterMs: 60_000,
};

/**
 * Keeps a copy of the graphs of all clusters in a Neo4j, until the signal aborts. While Neo4j is away nothing waits in
 * memory: what is missing is read from the log when it is back.
 */
export async function runNeo4jSink(options: Neo4jSinkOptions, signal: AbortSignal): Promise<void> {
  const { open, clock, random, metrics, onFailure } = options;
  const backoff = new Backoff(retryBackoff, clock, random);
  while (!signal.aborted) {
    try {
      await using database = await open();
      await follow(options, database, signal);
    } catch (thrown) {
      if (signal.aborted) break;
      metrics?.failed();
      const delayMs = backoff.nextDelayMs();
      onFailure(BowlineError.from(thrown), delayMs);
      await clock.sleep(delayMs, signal).catch(() => {});
    }
  }
  metrics?.stopped();
}

async function follow(
  options: Neo4jSinkOptions,
  database: Neo4jDatabase,
  signal: AbortSignal,
): Promise<void> {
  const { clock, leads, metrics } = options;
  const copies = new Map<string, ClusterCopy>();
  let isPrepared = false;
  while (!signal.aborted) {
    const isLeading = await leads();
    if (isLeading && !isPrepared) {
      const owner = await options.installation();
      await prepareDatabase(database, { owner, shared: options.shared }, signal);
      isPrepared = true;
    }
    // Another one may have written meanwhile: what was known of its cursors is not true any more.
    if (!isLeading) copies.clear();
    const wrote = isLeading && (await round(options, { database, copies, signal }));
    if (isLeading) metrics?.reached();
    if (!wrote) await clock.sleep(intervalMs, signal);
  }
}

interface Round {
  readonly database: Neo4jDatabase;
  /** By the id of the cluster. */
  readonly copies: Map<string, ClusterCopy>;
  readonly signal: AbortSignal;
}

/** One batch for each cluster, so that none waits for a large one. Whether anything was written. */
async function round({ source, metrics, batchWeight }: Neo4jSinkOptions, at: Round): Promise<boolean> {
  const { database, copies, signal } = at;
  // In this order: what was copied before, and is no cluster afterwards, is gone.
  const copied = await database.transaction(copiedClusters, signal);
  const clusters = await source.clusters();
  const heads = await source.heads(clusters.map(({ id }) => id));
  for (const id of copies.keys()) if (!heads.has(id)) copies.delete(id);
  let wrote = await forgetOthers(at, copied, clusters);
  let lag = 0;
  for (const cluster of clusters) {
    signal.throwIfAborted();
    const head = heads.get(cluster.id);
    if (head === undefined) continue;
    const copy =
      copies.get(cluster.id) ??
      new ClusterCopy({
        database,
        source,
        cluster,
        batchWeight,
        onWritten: (objects) => metrics?.wrote(objects),
      });
    copies.set(cluster.id, copy);
    wrote = (await copy.step(head, signal)) || wrote;
    lag += copy.lag(head);
  }
  metrics?.lags(lag);
  return wrote;
}

/** Removes a part of what there is of clusters that are gone. */
async function forgetOthers(
  { database, signal }: Round,
  copied: readonly string[],
  clusters: readonly SourceCluster[],
): Promise<boolean> {
  const names = new Set(clusters.map(({ name }) => name));
  const gone = copied.find((name) => !names.has(name));
  if (gone === undefined) return false;
  await database.transaction(async (run) => {
    const cursor = await readCursor(run, gone);
    if (cursor === undefined) return;
    // Should somebody believe that it is there after all, it is made anew.
    await moveCursor(run, gone, cursor, { ...cursor, state: "clearing" });
    if (!(await clearSome(run, gone))) await removeCursor(run, gone);
  }, signal);
  return true;
}
