import type { Clock } from "@bowline/core";

import { deleteRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { BatchQueue } from "../reports/batch-queue.ts";
import { beginEpoch, cursorAfter, lockCursor } from "../reports/cursors.ts";
import { cursorOf, type ReportCursor, type ReportKey } from "../reports/report.ts";
import { forever, type GraphBatch, type GraphLimits, type StoredGraphBatch } from "./graph.ts";
import { GraphReader } from "./graph-reader.ts";
import { storeGraph } from "./store-graph.ts";
import { endViews } from "./view-fold.ts";
import { ViewLog } from "./view-log.ts";

export interface GraphStoreOptions {
  readonly engine: Engine;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly limits?: Partial<GraphLimits> | undefined;
  /** How often to look for views that other replicas stored, while somebody follows. */
  readonly pollMs: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: GraphLimits = {
  maxObjects: 250_000,
  maxFactsSize: 512 * mebibyte,
  maxHistorySize: 2_048 * mebibyte,
  maxCoverage: 10_000,
  maxViews: 100,
};

/**
 * The graphs of clusters, as their agents tell them: every version of what an object says, from when to when it did, and
 * what of the cluster was observed at all.
 *
 * Every change gets the next number of its cluster. Numbers become visible in their order, because the cursor is locked
 * until they are: who has read all changes up to one never finds a smaller one later.
 */
export class GraphStore extends GraphReader {
  readonly views: ViewLog;
  readonly #clock: Pick<Clock, "now">;
  readonly #queue: BatchQueue<GraphBatch, StoredGraphBatch>;

  constructor({ engine, clock, limits, pollMs }: GraphStoreOptions) {
    super(engine);
    this.views = new ViewLog({ engine, clock, pollMs });
    this.#clock = clock;
    const all = { ...defaultLimits, ...limits };
    this.#queue = new BatchQueue(async (batches) => {
      const context = { engine, limits: all, nowMs: clock.now() };
      const { outcomes, changedViews } = await engine.commit(() => storeGraph(context, batches));
      if (changedViews > 0) this.views.feed.wake();
      return outcomes;
    });
  }

  /**
   * Begins an epoch, or goes on with the one that is under way. `Expired` for an earlier one, and for one that another
   * agent has begun; `NotFound` when the cluster is gone.
   */
  async begin(key: ReportKey): Promise<ReportCursor> {
    return cursorOf(await this.engine.commit(() => beginEpoch(this.engine, "graph", key)));
  }

  /**
   * Stores a batch. `Expired` as above, `ProtocolViolation` when batches before it are missing. An object that says what
   * it has said before is not written. Batches of a cluster are stored in the order in which they are handed over.
   */
  store(batch: GraphBatch): Promise<StoredGraphBatch> {
    return this.#queue.add(batch);
  }

  /** Resolves when no batch is under way. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Ends those who follow the views. */
  close(): Promise<void> {
    return this.views.feed.close();
  }

  /**
   * Everything that exists was told. Coverage and views that only earlier epochs have told are over; objects are not, the
   * agent says itself which of those that it was told of are gone. False when it was complete before.
   */
  async complete(key: ReportKey, sequence: number): Promise<boolean> {
    const isNew = await this.engine.commit(() => this.#complete(key, sequence, this.#clock.now()));
    if (isNew) this.views.feed.wake();
    return isNew;
  }

  *#complete(key: ReportKey, sequence: number, nowMs: number): Transaction<boolean> {
    const { queries } = this.engine;
    const cursor = cursorAfter(key, sequence, yield* lockCursor("graph", key.clusterId));
    if (cursor === undefined) return false;
    const untold = yield* rowsOf(
      queries
        .selectFrom("graph_coverage")
        .selectAll()
        .where("cluster_id", "=", key.clusterId)
        .where("valid_to", "=", forever)
        .where("epoch", "<", key.epoch),
    );
    const over = untold.map((row) => ({ ...row, valid_to: Math.max(nowMs, row.valid_from + 1) }));
    yield* run(deleteRows("graph_coverage", untold));
    yield* run(upsertRows("graph_coverage", over));
    const change = cursor.change + (untold.length > 0 ? 1 : 0);
    yield* run(upsertRows("report_cursors", [{ ...cursor, change, complete: 1 }]));
    yield* endViews(this.engine, key, nowMs);
    return true;
  }
}
