import type { Counter, Gauge, Histogram, Metrics } from "@bowline/core";

import type { RefusedPart } from "./open-report.ts";

type Topic = "workloads" | "graph";

/** What was stored of a batch. */
interface StoredItems {
  readonly items: readonly { readonly index: number; readonly type: string }[];
  /** When each of them was observed, where that is known. */
  readonly times: readonly (number | undefined)[];
  readonly refused: readonly RefusedPart[];
  readonly nowMs: number;
}

/** Metrics of reports. */
export class ReportMetrics {
  /** Reports under way. */
  readonly open: Gauge;
  readonly #batches: Counter<"topic" | "outcome">;
  readonly #items: Counter<"type">;
  readonly #refused: Counter<"reason">;
  readonly #epochs: Counter<"topic">;
  readonly #lag: Histogram<"topic">;

  constructor(metrics: Metrics) {
    this.open = metrics.gauge({
      name: "bowline_reports",
      help: "Reports of agents that are under way.",
    });
    this.#batches = metrics.counter({
      name: "bowline_report_batches_total",
      help: "Batches of reports, by whether they were stored or were known already.",
      labelNames: ["topic", "outcome"],
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
      labelNames: ["topic"],
    });
    this.#lag = metrics.histogram({
      name: "bowline_report_lag_seconds",
      help: "Time from the observation of an object by its agent until it is stored, the longest of each batch.",
      labelNames: ["topic"],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300],
    });
  }

  known(topic: Topic): void {
    this.#batches.inc({ topic, outcome: "known" });
  }

  stored(topic: Topic, { items, times, refused, nowMs }: StoredItems): void {
    this.#batches.inc({ topic, outcome: "stored" });
    const isRefused = new Set(refused.map(({ index }) => index));
    let oldestMs: number | undefined;
    for (const [place, { index, type }] of items.entries()) {
      if (isRefused.has(index)) continue;
      this.#items.inc({ type });
      const timeMs = times[place];
      if (timeMs !== undefined) oldestMs = Math.min(oldestMs ?? timeMs, timeMs);
    }
    for (const { refusal } of refused) this.#refused.inc({ reason: refusal });
    if (oldestMs !== undefined) this.#lag.observe({ topic }, (nowMs - oldestMs) / 1_000);
  }

  completed(topic: Topic): void {
    this.#epochs.inc({ topic });
  }
}
