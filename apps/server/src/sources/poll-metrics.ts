import type { Counter, Histogram, Metrics } from "@bowline/core";

/** Metrics of looking for new commits. One per registry. */
export class PollMetrics {
  readonly #polls: Counter<"result">;
  readonly #seconds: Histogram;

  constructor(metrics: Metrics, repositories: () => number) {
    this.#polls = metrics.counter({
      name: "bowline_git_polls_total",
      help: "Repositories that were asked for their commits, by what came of it: answered, or the code of the error.",
      labelNames: ["result"],
    });
    this.#seconds = metrics.histogram({
      name: "bowline_git_poll_seconds",
      help: "How long a repository took to answer.",
      buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    });
    metrics.gauge({
      name: "bowline_git_repositories",
      help: "Repositories that objects follow.",
      collect: (gauge) => gauge.set(repositories()),
    });
  }

  polled(result: string, durationMs: number): void {
    this.#polls.inc({ result });
    this.#seconds.observe(durationMs / 1_000);
  }
}
