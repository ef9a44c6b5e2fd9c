import { Cluster } from "@bowline/api";
import { BowlineError, shortened, type Gauge, type Metrics, type Random } from "@bowline/core";
import type { LeaseStore } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";
import { findOrphans, type Orphan, type OrphanTools } from "./find-orphans.ts";

export interface OrphanReportOptions extends Omit<OrphanTools, "store"> {
  readonly store: OrphanTools["store"] & Pick<Store, "events">;
  /** Missing where no other server works on this database. */
  readonly leases: LeaseStore | undefined;
  readonly owner: string;
  readonly random: Random;
  readonly metrics: Metrics;
}

const leaseKey = "orphan-report";
const intervalMs = 60 * 60_000;
/** Of the interval, taken off by chance: replicas that were started together do not ask together. */
const jitter = 0.1;
/** Clusters and roles are asked one by one, and nobody waits for it. */
const lookLimitMs = 20 * 60_000;
const maxNamed = 20;
const maxMessageLength = 1_024;

/** Looks for orphans once an hour; of several replicas one does. */
export class OrphanReport {
  readonly #options: OrphanReportOptions;
  readonly #orphans: Gauge<"provider">;

  constructor(options: OrphanReportOptions) {
    this.#options = options;
    this.#orphans = options.metrics.gauge({
      name: "bowline_provider_orphans",
      help: "Things outside with the mark of this installation that no Cluster knows of, as the last look has found.",
      labelNames: ["provider"],
    });
    options.metrics.gauge({
      name: "bowline_provider_resources",
      help: "Things outside that belong to Clusters, by state.",
      labelNames: ["provider", "state"],
      collect: (gauge) => this.#countResources(gauge),
    });
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await clock.sleep(intervalMs * (1 - jitter * random()), signal);
        await this.#lookIfFirst(signal);
      } catch (thrown) {
        if (!signal.aborted)
          logger.warn({ err: BowlineError.from(thrown) }, "Orphans could not be looked for");
      }
    }
  }

  async #lookIfFirst(signal: AbortSignal): Promise<void> {
    const { leases, owner, providers } = this.#options;
    const leaseMs = intervalMs * (1 - 2 * jitter);
    if (leases !== undefined && (await leases.tryAcquire(leaseKey, owner, leaseMs)) === undefined) {
      // Another one tells now: two numbers would be added up.
      this.#orphans.reset();
      return;
    }
    const { orphans, notAsked } = await findOrphans(this.#options, signal, lookLimitMs);
    for (const name of providers.keys()) {
      if (notAsked.includes(name)) continue;
      this.#orphans.set({ provider: name }, orphans.filter(({ provider }) => provider === name).length);
    }
    await this.#tell(orphans);
  }

  async #tell(orphans: readonly Orphan[]): Promise<void> {
    const byCluster = Map.groupBy(orphans, ({ clusterId }) => clusterId);
    await this.#options.store.events.record(
      [...byCluster].map(([clusterId, items]) => {
        const named = items.slice(0, maxNamed).map(({ type, id }) => `${type} ${id}`);
        const message = `There are things of a cluster that nobody here knows of, or remembers: ${named.join(", ")}. Nothing is done to them; delete what is not needed.`;
        return {
          type: "Warning" as const,
          reason: "OrphanedResources",
          message: shortened(message, maxMessageLength),
          regarding: { kind: Cluster.kind, name: clusterId },
          source: "orphan-report",
        };
      }),
    );
  }

  async #countResources(gauge: Gauge<"provider" | "state">): Promise<void> {
    const { store } = this.#options;
    const counts = await store.resources.counts();
    gauge.reset();
    if (counts.length === 0) return;
    const clusters = await findObjects(store.objects, Cluster);
    const providerOf = new Map(clusters.map(({ metadata, spec }) => [metadata.id, spec.provider]));
    for (const { clusterId, state, count } of counts) {
      const provider = providerOf.get(clusterId);
      if (provider !== undefined) gauge.inc({ provider, state }, count);
    }
  }
}
