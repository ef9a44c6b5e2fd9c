import type { Counter, Histogram, Metrics } from "@bowline/core";
import type { FetchFigures } from "@bowline/git";

interface Repositories {
  /** How many there are. */
  readonly total: () => number;
  /** How many of them should have been asked by now. */
  readonly overdue: () => number;
}

/** Metrics of looking for new commits. One per registry. */
export class PollMetrics {
  readonly #polls: Counter<"result">;
  readonly #seconds: Histogram;

  constructor(metrics: Metrics, { total, overdue }: Repositories) {
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
      collect: (gauge) => gauge.set(total()),
    });
    metrics.gauge({
      name: "bowline_git_overdue",
      help: "Repositories that should have been asked more than ten seconds ago, and have not answered since.",
      collect: (gauge) => gauge.set(overdue()),
    });
  }

  polled(result: string, durationMs: number): void {
    this.#polls.inc({ result });
    this.#seconds.observe(durationMs / 1_000);
  }
}

/** Metrics of fetching commits. One per registry. */
export class FetchMetrics {
  readonly #bytes: Counter;
  readonly #seconds: Histogram<"result">;

  constructor(metrics: Metrics) {
    this.#bytes = metrics.counter({
      name: "bowline_git_fetch_bytes_total",
      help: "Bytes of packs that were fetched from repositories, also of those that did not come to their end.",
    });
    this.#seconds = metrics.histogram({
      name: "bowline_git_fetch_seconds",
      help: "How long fetching a commit took, by what came of it: fetched, or the code of the error.",
      labelNames: ["result"],
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60],
    });
  }

  fetched({ result, bytes, durationMs }: FetchFigures): void {
    this.#bytes.inc(bytes);
    this.#seconds.observe({ result }, durationMs / 1_000);
  }
}
