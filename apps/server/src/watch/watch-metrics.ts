import type { Metrics } from "@bowline/core";

/** Counts what watchers of one kind are sent. */
export interface WatchMeter {
  sent(events: number, bytes: number): void;
  /** A watcher reads more slowly than things happen. */
  fellBehind(): void;
  /** Counts a watcher until the function it returns is called. */
  opened(): () => void;
}

export class WatchMetrics {
  readonly #meters = new Map<string, WatchMeter>();
  readonly #newMeter: (kind: string) => WatchMeter;

  constructor(metrics: Metrics) {
    const labelNames = ["kind"] as const;
    const watchers = metrics.gauge({
      name: "bowline_watch_watchers",
      help: "Watches that are open.",
      labelNames,
    });
    const events = metrics.counter({
      name: "bowline_watch_events_total",
      help: "Events sent to watchers.",
      labelNames,
    });
    const bytes = metrics.counter({
      name: "bowline_watch_sent_bytes_total",
      help: "Bytes sent to watchers.",
      labelNames,
    });
    const slow = metrics.counter({
      name: "bowline_watch_slow_total",
      help: "How often a watcher read more slowly than things happened and was left to catch up from the log.",
      labelNames,
    });
    this.#newMeter = (kind) => {
      const [watchersOfKind, eventsOfKind, bytesOfKind, slowOfKind] = [
        watchers.labels(kind),
        events.labels(kind),
        bytes.labels(kind),
        slow.labels(kind),
      ];
      return {
        sent(count, size) {
          eventsOfKind.inc(count);
          bytesOfKind.inc(size);
        },
        fellBehind: () => slowOfKind.inc(),
        opened() {
          watchersOfKind.inc();
          return () => watchersOfKind.dec();
        },
      };
    };
  }

  /** For a kind of object; kinds are few. */
  meter(kind: string): WatchMeter {
    const meter = this.#meters.get(kind) ?? this.#newMeter(kind);
    this.#meters.set(kind, meter);
    return meter;
  }
}
