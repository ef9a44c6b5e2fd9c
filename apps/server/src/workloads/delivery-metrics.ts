import type { Counter, Histogram, Metrics } from "@bowline/core";

/** Metrics of bringing revisions into clusters. One per registry. */
export class DeliveryMetrics {
  readonly #requests: Counter<"verb" | "code">;
  readonly #applySeconds: Histogram;
  readonly #corrections: Counter;
  readonly #commitSeconds: Histogram;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter({
      name: "bowline_apply_requests_total",
      help: "Requests that were sent to clusters for workloads, by verb and class of the answer's status.",
      labelNames: ["verb", "code"],
    });
    this.#applySeconds = metrics.histogram({
      name: "bowline_apply_seconds",
      help: "How long it took to bring a workload into one cluster, or to look whether it is there.",
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300],
    });
    this.#corrections = metrics.counter({
      name: "bowline_drift_corrections_total",
      help: "Objects that were set right because somebody else had changed them.",
    });
    this.#commitSeconds = metrics.histogram({
      name: "bowline_commit_to_applied_seconds",
      help: "How long it took from a commit until its revision was applied in a cluster that had an older one.",
      buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400],
    });
  }

  /** A status of 0 stands for none. */
  answered(verb: string, status: number): void {
    this.#requests.inc({ verb, code: status === 0 ? "none" : `${Math.floor(status / 100)}xx` });
  }

  applied(durationMs: number): void {
    this.#applySeconds.observe(durationMs / 1_000);
  }

  corrected(objects: number): void {
    this.#corrections.inc(objects);
  }

  commitApplied(durationMs: number): void {
    this.#commitSeconds.observe(Math.max(0, durationMs) / 1_000);
  }
}
