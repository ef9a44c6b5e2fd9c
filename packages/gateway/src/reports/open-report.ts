import { BowlineError, type Clock } from "@bowline/core";
import type { ReportBatch, reportCall, ReportRequest } from "@bowline/protocol";
import type { ReportedItem, ReportKey, Store } from "@bowline/store";

import type { PlacementIndex } from "./placement-index.ts";
import { readItem, refusals, workloadOf, type Refusal } from "./read-item.ts";
import type { ReportMetrics } from "./report-metrics.ts";

/** Batches under way without an ack: enough to keep a connection busy while one is being stored. */
export const maxUnacknowledged = 4;

/** Items of one batch, which is stored without a break where the database is SQLite. */
export const maxItems = 500;

export type ReportAnswer = Parameters<typeof reportCall.response.encode>[0];

/** A cluster whose report has changed something. */
interface ReportedCluster {
  /** Of the Cluster's object. */
  readonly id: string;
  readonly name: string;
}

/** Is told, after it is stored, what a report has changed. It must neither throw nor wait. */
export interface ReportSink {
  /** Names of the instances whose objects have changed in the cluster; `all` when it could be any of them. */
  changed(cluster: ReportedCluster, workloads: ReadonlySet<string> | "all"): void;
}

export interface OpenReportOptions {
  readonly store: Pick<Store, "reports">;
  readonly placements: Pick<PlacementIndex, "placedIn">;
  readonly sink: ReportSink;
  readonly metrics: ReportMetrics;
  readonly clock: Pick<Clock, "now">;
  readonly key: ReportKey;
  readonly clusterName: string;
  readonly send: (answer: ReportAnswer) => void;
  /** Ends the call. */
  readonly fail: (error: BowlineError) => void;
}

interface RefusedPart {
  readonly index: number;
  readonly refusal: Refusal;
}

/**
 * A report under way. Batches are handed to the store without waiting for the one before, but no more of them than the
 * agent was told: with a database that is slow, nothing more is read from the agent until there is room again.
 */
export class OpenReport {
  readonly #options: OpenReportOptions;
  /** Batches that are being stored, in order; each settles when it was acknowledged or has failed. */
  readonly #underWay: Promise<void>[] = [];

  constructor(options: OpenReportOptions) {
    this.#options = options;
  }

  /** Takes the next message; resolves when there is room for another. */
  async take({ message }: ReportRequest): Promise<void> {
    if (message.case === "batch") {
      while (this.#underWay.length >= maxUnacknowledged) await this.#underWay[0];
      await this.#takeBatch(message.value);
    } else if (message.case === "complete") {
      await this.idle();
      await this.#complete(sequenceOf(message.value));
    }
  }

  /** Resolves when nothing is being stored. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #takeBatch(batch: ReportBatch): Promise<void> {
    const { placements, clusterName, key, clock } = this.#options;
    const sequence = sequenceOf(batch);
    if (batch.items.length > maxItems) {
      throw new BowlineError("ProtocolViolation", `A batch has no more than ${maxItems} items.`);
    }
    const named = new Set(batch.items.map(workloadOf));
    const placed = await placements.placedIn(clusterName, [...named].filter(isName));
    const context = { clusterId: key.clusterId, clusterName, placed, nowMs: clock.now() };
    const items: ReportedItem[] = [];
    const refused: RefusedPart[] = [];
    for (const [index, part] of batch.items.entries()) {
      const read = readItem(part, index, context);
      if (typeof read === "string") refused.push({ index, refusal: read });
      else items.push(read);
    }
    const storing = this.#store(sequence, items, refused)
      .catch((error: unknown) => this.#options.fail(BowlineError.from(error)))
      .finally(() => void this.#underWay.shift());
    this.#underWay.push(storing);
  }

  async #store(sequence: number, items: ReportedItem[], invalid: readonly RefusedPart[]): Promise<void> {
    const { store, key, clusterName, sink, metrics, clock } = this.#options;
    const stored = await store.reports.store({ key, sequence, items });
    const refused = stored.isNew ? [...invalid, ...stored.refused] : [];
    if (stored.isNew) {
      const isRefused = new Set(stored.refused.map(({ index }) => index));
      const kept = items.filter(({ index }) => !isRefused.has(index));
      metrics.stored(
        kept,
        refused.map(({ refusal }) => refusal),
        clock.now(),
      );
    } else {
      metrics.known();
    }
    if (stored.workloads.size > 0) sink.changed({ id: key.clusterId, name: clusterName }, stored.workloads);
    this.#acknowledge(sequence, refused);
  }

  async #complete(sequence: number): Promise<void> {
    const { store, key, clusterName, sink, metrics } = this.#options;
    const isNew = await store.reports.complete(key, sequence);
    if (isNew) metrics.completed();
    sink.changed({ id: key.clusterId, name: clusterName }, "all");
    this.#acknowledge(sequence, []);
  }

  #acknowledge(sequence: number, refused: readonly RefusedPart[]): void {
    const parts = refused.map(({ index, refusal }) => ({
      sequence: BigInt(sequence),
      index,
      reason: refusals[refusal],
    }));
    const value = { sequence: BigInt(sequence), refused: parts };
    this.#options.send({ message: { case: "ack", value } });
  }
}

/** The longest that an instance may be called. */
const maxWorkloadLength = 63;

function isName(workload: string): boolean {
  return workload !== "" && workload.length <= maxWorkloadLength;
}

function sequenceOf({ sequence }: { readonly sequence: bigint }): number {
  if (sequence >= 1n && sequence <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(sequence);
  throw new BowlineError("ProtocolViolation", "Batches are counted from 1.");
}
