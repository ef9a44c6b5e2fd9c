import type { Clock } from "@bowline/core";
import type { ReportItem } from "@bowline/protocol";
import type { ReportedItem, ReportKey, Store } from "@bowline/store";

import type { RefusedPart, ReportIntake } from "./open-report.ts";
import type { PlacementIndex } from "./placement-index.ts";
import { readItem, workloadOf } from "./read-item.ts";
import type { ReportMetrics } from "./report-metrics.ts";

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

export interface WorkloadIntakeOptions {
  readonly store: Pick<Store, "reports">;
  readonly placements: Pick<PlacementIndex, "placedIn">;
  readonly sink: ReportSink;
  readonly metrics: ReportMetrics;
  readonly clock: Pick<Clock, "now">;
  readonly key: ReportKey;
  readonly clusterName: string;
}

/** Takes in the objects of workloads, and what happened to them. */
export class WorkloadIntake implements ReportIntake {
  readonly #options: WorkloadIntakeOptions;

  constructor(options: WorkloadIntakeOptions) {
    this.#options = options;
  }

  async take(sequence: number, parts: readonly ReportItem[]): ReturnType<ReportIntake["take"]> {
    const { placements, clusterName, key, clock } = this.#options;
    const named = new Set(parts.map(workloadOf));
    const placed = await placements.placedIn(clusterName, [...named].filter(isName));
    const context = { clusterId: key.clusterId, clusterName, placed, nowMs: clock.now() };
    const items: ReportedItem[] = [];
    const refused: RefusedPart[] = [];
    for (const [index, part] of parts.entries()) {
      const read = readItem(part, index, context);
      if (typeof read === "string") refused.push({ index, refusal: read });
      else items.push(read);
    }
    return { stored: this.#store(sequence, items, refused) };
  }

  async complete(sequence: number): Promise<void> {
    const { store, key, metrics } = this.#options;
    const isNew = await store.reports.complete(key, sequence);
    if (isNew) metrics.completed("workloads");
    this.changed("all");
  }

  changed(workloads: ReadonlySet<string> | "all"): void {
    const { sink, key, clusterName } = this.#options;
    sink.changed({ id: key.clusterId, name: clusterName }, workloads);
  }

  async #store(
    sequence: number,
    items: readonly ReportedItem[],
    invalid: readonly RefusedPart[],
  ): Promise<readonly RefusedPart[]> {
    const { store, key, metrics, clock } = this.#options;
    const stored = await store.reports.store({ key, sequence, items });
    const refused = stored.isNew ? [...invalid, ...stored.refused] : [];
    if (stored.isNew) {
      const times = items.map((item) => (item.type === "object" ? item.resource.observedAtMs : undefined));
      metrics.stored("workloads", { items, times, refused, nowMs: clock.now() });
    } else {
      metrics.known("workloads");
    }
    if (stored.workloads.size > 0) this.changed(stored.workloads);
    return refused;
  }
}

/** The longest that an instance may be called. */
const maxWorkloadLength = 63;

function isName(workload: string): boolean {
  return workload !== "" && workload.length <= maxWorkloadLength;
}
