import type { Counter, Gauge, Metrics } from "@bowline/core";

import type { RelayLag } from "./relay.ts";
import type { Sweep } from "./sweeper.ts";

/** Metrics of the way from a change to its controller. One per registry. */
export class NotificationMetrics {
  readonly #published: Counter;
  readonly #sweeps: Counter;
  readonly #offered: Counter;
  readonly #rechecked: Counter;
  readonly #unobserved: Gauge;

  constructor(metrics: Metrics, lag: () => Promise<RelayLag>) {
    this.#published = metrics.counter({
      name: "bowline_relay_messages_total",
      help: "Messages handed to the broker because an object changed.",
    });
    this.#sweeps = metrics.counter({ name: "bowline_sweeps_total", help: "Sweeps that came to their end." });
    this.#offered = metrics.counter({
      name: "bowline_sweep_recovered_total",
      help: "Objects a sweep found undone that the broker did not know of.",
    });
    this.#rechecked = metrics.counter({
      name: "bowline_sweep_rechecked_total",
      help: "Objects a sweep had looked at because changes of others may have been missed.",
    });
    this.#unobserved = metrics.gauge({
      name: "bowline_unobserved_objects",
      help: "Objects whose generation no controller had observed, at the last sweep of this process.",
    });
    addLagGauge(metrics, lag, {
      name: "bowline_relay_lag_changes",
      help: "Changes in the log since the first that the broker was not told of.",
      read: ({ changes }) => changes,
    });
    addLagGauge(metrics, lag, {
      name: "bowline_relay_lag_seconds",
      help: "Age of the first change that the broker was not told of.",
      read: ({ ageMs }) => ageMs / 1000,
    });
  }

  published(count: number): void {
    this.#published.inc(count);
  }

  swept({ unobserved, offered, rechecked }: Sweep): void {
    this.#sweeps.inc();
    this.#offered.inc(offered);
    this.#rechecked.inc(rechecked);
    this.#unobserved.set(unobserved);
  }
}

function addLagGauge(
  metrics: Metrics,
  lag: () => Promise<RelayLag>,
  {
    read,
    ...names
  }: { readonly name: string; readonly help: string; readonly read: (lag: RelayLag) => number },
): void {
  metrics.gauge({
    ...names,
    collect: async (gauge) => {
      try {
        gauge.set(read(await lag()));
      } catch {
        // The database cannot be asked: the number is not known, and all others are still to be had.
        gauge.set(Number.NaN);
      }
    },
  });
}
