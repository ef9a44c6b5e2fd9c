import { deleteRows, selectRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsByKey, run, type Transaction } from "../engine/transaction.ts";
import { storeClusterEvents } from "../records/cluster-events.ts";
import { BatchFold, type ReportLimits } from "./batch-fold.ts";
import { outcomeOf, type BatchOutcome } from "./batch-queue.ts";
import { lockCursors } from "./cursors.ts";
import type { ReportedBatch, StoredBatch } from "./report.ts";

export interface BatchContext {
  readonly engine: Engine;
  readonly newId: () => string;
  readonly limits: ReportLimits;
}

export interface StoredBatches {
  /** In the order of the batches. */
  readonly outcomes: BatchOutcome<StoredBatch>[];
  /** How many events there is something to tell of. */
  readonly told: number;
}

/**
 * Stores batches, of any clusters, in one transaction: items and the number of their batch together, so that a batch that
 * comes twice finds its number, and writes nothing. One that is refused leaves the others alone.
 */
export function* storeBatches(
  context: BatchContext,
  batches: readonly ReportedBatch[],
): Transaction<StoredBatches> {
  const cursors = yield* lockCursors("workloads", [...new Set(batches.map(({ key }) => key.clusterId))]);
  const keys = batches.flatMap(({ key, items }) =>
    items.flatMap((item) => {
      if (item.type === "event") return [];
      return [{ cluster_id: key.clusterId, uid: item.type === "gone" ? item.uid : item.resource.uid }];
    }),
  );
  const known = yield* rowsByKey(selectRows("resources", ["cluster_id", "uid"], distinct(keys)));
  const fold = new BatchFold(context.limits, cursors, known);
  const outcomes = batches.map((batch) => outcomeOf(() => fold.add(batch)));
  yield* run(deleteRows("resources", fold.gone()));
  yield* run(upsertRows("resources", fold.written()));
  const told = yield* storeClusterEvents(context, fold.events);
  yield* run(upsertRows("report_cursors", fold.changedCursors()));
  return { outcomes, told };
}

interface ResourceKey {
  readonly cluster_id: string;
  readonly uid: string;
}

function distinct(keys: readonly ResourceKey[]): ResourceKey[] {
  return [...new Map(keys.map((key) => [`${key.cluster_id} ${key.uid}`, key])).values()];
}
