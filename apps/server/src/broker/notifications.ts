import type { Kind } from "@bowline/api";
import {
  BowlineError,
  type ChildSpec,
  type Clock,
  type Logger,
  type Metrics,
  type Random,
} from "@bowline/core";

import type { Store } from "@bowline/store";
import type { Broker } from "./broker.ts";
import { NotificationMetrics } from "./notification-metrics.ts";
import { Relay, type RelayLag, type RelayWatch } from "./relay.ts";
import { Sweeper } from "./sweeper.ts";

export interface NotificationsOptions {
  readonly store: Pick<Store, "objects" | "changes" | "leases">;
  readonly broker: Broker;
  /** The kinds whose controllers run. */
  readonly kinds: readonly Kind[];
  /** Changes of other kinds, or of the status, that give them work. */
  readonly watches?: readonly RelayWatch[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Names this process among the replicas. */
  readonly owner: string;
  readonly sweepIntervalMs?: number | undefined;
}

/** Longer than it takes to restart a broker, shorter than people take to wonder. */
const maxLagMs = 30_000;

/** The two ways by which a controller hears of its work: the relay, at once, and the sweeper, for certain. */
export class Notifications {
  readonly #relay: Relay;
  readonly #sweeper: Sweeper;
  readonly #broker: Broker;

  constructor(options: NotificationsOptions) {
    const { store, broker, kinds, watches = [], clock, random, logger, owner, sweepIntervalMs } = options;
    const metrics = new NotificationMetrics(options.metrics, () => this.lag());
    const onError = (part: string) => (error: BowlineError) =>
      logger.warn({ part, err: error }, "Will be tried again");
    this.#broker = broker;
    this.#sweeper = new Sweeper({
      objects: store.objects,
      leases: store.leases,
      broker,
      kinds,
      watching: kinds.filter(({ kind }) => watches.some(({ controller }) => controller === kind)),
      owner,
      clock,
      random,
      ...(sweepIntervalMs === undefined ? {} : { intervalMs: sweepIntervalMs }),
      onSwept: (sweep) => metrics.swept(sweep),
      onError: onError("sweeper"),
    });
    this.#relay = new Relay({
      changes: store.changes,
      broker,
      kinds: kinds.map(({ kind }) => kind),
      watches,
      clock,
      random,
      onSkip: () => this.#sweeper.request({ isComplete: true }),
      onPublished: (count) => metrics.published(count),
      onError: onError("relay"),
    });
  }

  lag(): Promise<RelayLag> {
    return this.#relay.lag();
  }

  /** Rejects when changes have waited too long for the broker, or what it may have lost for a sweep. */
  async checkTimely(): Promise<void> {
    const { changes, ageMs } = await this.lag();
    if (ageMs > maxLagMs) {
      const message = `${changes} changes, the first ${seconds(ageMs)} old, wait to be handed to the broker.`;
      throw new BowlineError("ServerUnavailable", message);
    }
    const failingMs = this.#sweeper.failingMs();
    if (failingMs > maxLagMs) {
      const message = `For ${seconds(failingMs)} it has failed to look for what is not done.`;
      throw new BowlineError("ServerUnavailable", message);
    }
  }

  /** For a supervisor. */
  children(): ChildSpec[] {
    return [
      { name: "sweeper", run: (signal) => this.#runSweeper(signal) },
      { name: "relay", run: (signal) => this.#relay.run(signal) },
    ];
  }

  async #runSweeper(signal: AbortSignal): Promise<void> {
    const stopListening = this.#broker.onLoss(() =>
      this.#sweeper.request({ isThorough: true, isComplete: true }),
    );
    try {
      await this.#sweeper.run(signal);
    } finally {
      stopListening();
    }
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
