import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf } from "../engine/transaction.ts";
import { decodeCursor, encodeCursor, requireLimit } from "../records/page.ts";
import {
  cursorOf,
  resourceOf,
  type ReportCursor,
  type ReportedBatch,
  type ReportedResource,
  type ReportKey,
  type StoredBatch,
} from "./report.ts";
import type { ReportLimits } from "./batch-fold.ts";
import { BatchQueue } from "./batch-queue.ts";
import { beginEpoch } from "./cursors.ts";
import { storeBatches } from "./store-batches.ts";
import { completeEpoch } from "./sweep-resources.ts";

export interface ReportStoreOptions {
  readonly engine: Engine;
  readonly newId: () => string;
  /** Told once after every transaction that has brought events. */
  readonly onEvents: () => void;
  readonly limits?: ReportLimits | undefined;
}

export interface ResourceQuery {
  readonly clusterId: string;
  /** The name of the instance. */
  readonly workload: string;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ResourcePage {
  readonly items: readonly ReportedResource[];
  /** Missing on the last page. */
  readonly cursor?: string;
}

const defaultLimits: ReportLimits = { maxResources: 100_000, maxFactsSize: 256 * 1024 * 1024 };

/**
 * The reports of agents: objects of workloads as they were last observed, and how far each cluster's report is. A batch
 * and its number are one transaction, so that a batch is stored once, however often it is sent.
 *
 * One epoch of a cluster is under way at a time, of one agent. From the moment that a later one begins, whatever else
 * is reported about the cluster is refused with `Expired`.
 */
export class ReportStore {
  readonly #engine: Engine;
  readonly #queue: BatchQueue<ReportedBatch, StoredBatch>;

  constructor({ engine, newId, onEvents, limits = defaultLimits }: ReportStoreOptions) {
    this.#engine = engine;
    this.#queue = new BatchQueue(async (batches) => {
      const context = { engine, newId, limits };
      const { outcomes, told } = await engine.commit(() => storeBatches(context, batches));
      if (told > 0) onEvents();
      return outcomes;
    });
  }

  /**
   * Begins an epoch, or goes on with the one that is under way. `Expired` for an earlier one, and for one that another
   * agent has begun; `NotFound` when the cluster is gone.
   */
  async begin(key: ReportKey): Promise<ReportCursor> {
    return cursorOf(await this.#engine.commit(() => beginEpoch(this.#engine, "workloads", key)));
  }

  /**
   * Stores a batch. `Expired` as above, `ProtocolViolation` when batches before it are missing. Who does not wait for one
   * before the next is stored: those of a cluster are stored in the order in which they are handed over.
   */
  store(batch: ReportedBatch): Promise<StoredBatch> {
    return this.#queue.add(batch);
  }

  /** Resolves when no batch is under way. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Everything that exists was reported: what only earlier epochs have reported is gone. False when that was known. */
  complete(key: ReportKey, sequence: number): Promise<boolean> {
    return completeEpoch(this.#engine, key, sequence);
  }

  /** How far the report of a cluster is; undefined when there never was one. */
  async cursor(clusterId: string): Promise<ReportCursor | undefined> {
    const query = this.#engine.queries
      .selectFrom("report_cursors")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("topic", "=", "workloads");
    const row = await this.#engine.read(() => firstRowOf(query));
    return row === undefined || row.epoch === 0 ? undefined : cursorOf(row);
  }

  /** A page of the objects of a workload in a cluster, those it names and those they own, by their uids. */
  async list(query: ResourceQuery): Promise<ResourcePage> {
    const { clusterId, workload, cursor } = query;
    const limit = requireLimit(query.limit);
    const identity = ["resources", clusterId, workload];
    const after = cursor === undefined ? "" : String(decodeCursor(identity, cursor).after[0]);
    const page = this.#engine.queries
      .selectFrom("resources")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("workload", "=", workload)
      .where("uid", ">", after)
      .orderBy("uid")
      .limit(limit + 1);
    const rows = await this.#engine.read(() => rowsOf(page));
    const items = rows.slice(0, limit).map(resourceOf);
    const last = items.at(-1);
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: encodeCursor(identity, { after: [last.uid], total: 0, revision: 0 }) };
  }
}
