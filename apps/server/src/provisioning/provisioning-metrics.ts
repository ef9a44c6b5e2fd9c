import type { Counter, Histogram, Metrics } from "@bowline/core";

/** How long steps and clusters take, in seconds. */
const stepBuckets = [0.05, 0.1, 0.3, 1, 3, 10, 30, 100, 300];
const createBuckets = [10, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200];

/** Metrics of making clusters. One per registry. */
export class ProvisioningMetrics {
  readonly #steps: Counter<"provider" | "step" | "result">;
  readonly #stepSeconds: Histogram<"provider" | "step">;
  readonly #createSeconds: Histogram<"provider">;

  constructor(metrics: Metrics) {
    this.#steps = metrics.counter({
      name: "bowline_provider_steps_total",
      help: "Calls of providers that may leave something behind, and what came of them.",
      labelNames: ["provider", "step", "result"],
    });
    this.#stepSeconds = metrics.histogram({
      name: "bowline_provider_step_seconds",
      help: "How long such a call took.",
      labelNames: ["provider", "step"],
      buckets: stepBuckets,
    });
    this.#createSeconds = metrics.histogram({
      name: "bowline_cluster_create_seconds",
      help: "How long it took from a Cluster's creation here until its agent was connected.",
      labelNames: ["provider"],
      buckets: createBuckets,
    });
  }

  step(provider: string, step: string, result: "done" | "failed", durationMs: number): void {
    this.#steps.inc({ provider, step, result });
    this.#stepSeconds.observe({ provider, step }, durationMs / 1_000);
  }

  created(provider: string, durationMs: number): void {
    this.#createSeconds.observe({ provider }, Math.max(0, durationMs) / 1_000);
  }
}
