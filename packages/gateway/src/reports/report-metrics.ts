import type { Counter, Gauge, Histogram, Metrics } from "@bowline/core";
import type { ReportedItem } from "@bowline/store";

import type { Refusal } from "./read-item.ts";

/** Metrics of reports. */
export class ReportMetrics {
  /** Reports under way. */
  readonly open: Gauge;
  readonly #batches: Counter<"outcome">;
  readonly #items: Counter<"type">;
  readonly #refused: Counter<"reason">;
  readonly #epochs: Counter;
  readonly #lag: Histogram;

  constructor(metrics: Metrics) {
    this.open = metrics.gauge({
      name: "bowline_reports",
      help: "Reports of agents that are under way.",
    });
    this.#batches = metrics.counter({
      name: "bowline_report_batches_total",
      help: "Batches of reports, by whether they were stored or were known already.",
      labelNames: ["outcome"],
    });
    this.#items = metrics.counter({
      name: "bowline_report_items_total",
      help: "Items of reports that were stored, by type.",
      labelNames: ["type"],
    });
    this.#refused = metrics.counter({
      name: "bowline_report_items_refused_total",
      help: "Items of reports that were not stored, by why.",
      labelNames: ["reason"],
    });
    this.#epochs = metrics.counter({
      name: "bowline_report_epochs_total",
      help: "Times that a cluster was reported completely, from the beginning.",
    });
    this.#lag = metrics.histogram({
      name: "bowline_report_lag_seconds",
      help: "Time from the observation of an object by its agent until it is stored, the longest of each batch.",
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300],
    });
  }

  known(): void {
    this.#batches.inc({ outcome: "known" });
  }

  stored(items: readonly ReportedItem[], refused: readonly Refusal[], nowMs: number): void {
    this.#batches.inc({ outcome: "stored" });
    let oldestMs = nowMs;
    let objects = 0;
    for (const item of items) {
      this.#items.inc({ type: item.type });
      if (item.type !== "object") continue;
      objects += 1;
      oldestMs = Math.min(oldestMs, item.resource.observedAtMs);
    }
    for (const reason of refused) this.#refused.inc({ reason });
    if (objects > 0) this.#lag.observe((nowMs - oldestMs) / 1_000);
  }

  completed(): void {
    this.#epochs.inc();
  }
}
