import type { Counter, Gauge, Metrics } from "@bowline/core";

/** Metrics of the copy in Neo4j. One per registry. */
export class SinkMetrics {
  readonly #isUp: Gauge;
  readonly #lag: Gauge;
  readonly #objects: Counter;
  readonly #failures: Counter;

  constructor(metrics: Metrics) {
    this.#isUp = metrics.gauge({
      name: "bowline_neo4j_up",
      help: "1 while this server writes to Neo4j, 0 when it fails to or another server does.",
    });
    this.#lag = metrics.gauge({
      name: "bowline_neo4j_lag_changes",
      help: "Changes of all graphs that are not in Neo4j yet.",
    });
    this.#objects = metrics.counter({
      name: "bowline_neo4j_objects_total",
      help: "Objects whose facts were written to Neo4j, or removed from it.",
    });
    this.#failures = metrics.counter({
      name: "bowline_neo4j_failures_total",
      help: "Times that writing to Neo4j failed and was to be tried again.",
    });
  }

  reached(): void {
    this.#isUp.set(1);
  }

  failed(): void {
    this.#failures.inc();
    this.stopped();
  }

  stopped(): void {
    this.#isUp.set(0);
  }

  wrote(objects: number): void {
    this.#objects.inc(objects);
  }

  lags(changes: number): void {
    this.#lag.set(changes);
  }
}
