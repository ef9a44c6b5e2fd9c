import {
  Cluster,
  parseFieldSelector,
  placementName,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import { BowlineError, hasCode, type Clock, type Logger, type Random } from "@bowline/core";
import type { ReportSink } from "@bowline/gateway";
import { LogInformer, typed, type Change, type Store } from "@bowline/store";

import { DriftFlags } from "./drift-flags.ts";
import { PacedWork } from "./paced-work.ts";
import { awayMs, isConnected, readPlacementFacts } from "./placement-facts.ts";
import {
  lacksRights,
  placementHealth,
  type PlacementFacts,
  type PlacementHealth,
} from "./placement-health.ts";
import { markedIn, withHealth } from "./with-health.ts";

export interface ReportHealthOptions {
  readonly store: Pick<Store, "objects" | "changes" | "reports" | "inventory">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Judges the placements whose objects were reported, and writes how they do into their status, if that differs. What is
 * written follows from what is stored, never from the report that led to it: whichever replica looks, and whenever, it
 * comes to the same.
 */
export class ReportHealth implements ReportSink {
  readonly #options: ReportHealthOptions;
  readonly #work: PacedWork;
  readonly #informer: LogInformer<Change>;
  /** The resourceVersion that was written last, by placement: one's own writes are no news. */
  readonly #written = new Map<string, string>();
  readonly #flags = new DriftFlags();
  /** UIDs that were reported when a placement was last judged. */
  readonly #seen = new Map<string, ReadonlySet<string>>();

  constructor(options: ReportHealthOptions) {
    this.#options = options;
    this.#work = new PacedWork({
      ...options,
      work: (name) => this.#judge(name),
      onError: (error, placement) =>
        options.logger.warn({ err: error, placement }, "The health of a placement is judged a little later"),
    });
    this.#informer = new LogInformer({
      ...options,
      log: options.store.changes,
      kinds: [WorkloadPlacement.kind, Cluster.kind],
      list: () => this.#touchAll(),
      handle: (changes) => {
        for (const change of changes) this.#follow(change);
      },
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  async close(): Promise<void> {
    await this.#informer.close();
    await this.#work.close();
  }

  changed({ name }: { readonly name: string }, workloads: ReadonlySet<string> | "all"): void {
    if (workloads === "all") this.#touchCluster(name, 0);
    else for (const workload of workloads) this.#work.touch(placementName(workload, name));
  }

  /** What the controller writes, such as a digest, may change what a report means. */
  #follow(change: Change): void {
    if (change.kind === WorkloadPlacement.kind) {
      const isOwn = this.#written.get(change.name) === String(change.revision);
      if (change.type === "DELETED") this.#forget(change.name);
      else if (!isOwn) this.#work.touch(change.name);
      return;
    }
    if (change.type === "DELETED" || change.type === "ADDED") return;
    const connects = isConnected(typed(Cluster, change.object));
    const was = change.previous === undefined ? undefined : isConnected(typed(Cluster, change.previous));
    if (connects !== was) this.#touchCluster(change.name, connects ? 0 : awayMs);
  }

  /** What is gone stays in mind until the controller has made it anew, with another UID. */
  #remember(placement: string, { items, trees }: PlacementFacts): void {
    const owned = new Set(items.map(({ uid }) => uid));
    const before = this.#seen.get(placement) ?? [];
    const seen = [...before, ...trees.map(({ root }) => root.uid)].filter((uid) => owned.has(uid));
    this.#seen.set(placement, new Set(seen));
  }

  #forget(placement: string): void {
    this.#seen.delete(placement);
    this.#written.delete(placement);
    this.#flags.forget(placement);
  }

  #touchAll(): Promise<void> {
    return this.#touchPlacements(undefined, 0);
  }

  #touchCluster(cluster: string, delayMs: number): void {
    this.#touchPlacements(cluster, delayMs).catch((error: unknown) => {
      const err = BowlineError.from(error);
      this.#options.logger.warn({ err, cluster }, "The placements of a cluster could not be listed");
    });
  }

  async #touchPlacements(cluster: string | undefined, delayMs: number): Promise<void> {
    const selector = cluster === undefined ? "" : `spec.cluster=${cluster}`;
    const fields = parseFieldSelector(WorkloadPlacement, selector);
    for (const name of await this.#options.store.objects.listNames(WorkloadPlacement, { fields })) {
      this.#work.touchAfter(name, delayMs);
    }
  }

  async #judge(name: string): Promise<number | undefined> {
    const { store, clock } = this.#options;
    const { objects } = store;
    const placement = await objects.get(WorkloadPlacement, name);
    if (placement === undefined) return undefined;
    const [cluster, instance] = await Promise.all([
      objects.get(Cluster, placement.spec.cluster),
      objects.get(WorkloadInstance, placement.spec.instance),
    ]);
    if (cluster === undefined || instance === undefined) return undefined;
    const facts = await readPlacementFacts(store, cluster, instance, clock.now());
    // What goes is of no interest to anybody, except for hooks that a deletion waits for.
    const isGoing = placement.metadata.deletedAt !== undefined;
    if (isGoing && !facts.items.some(({ hook }) => hook === "delete")) return undefined;
    const health = placementHealth({
      ...facts,
      seen: this.#seen.get(name),
      lacksRights: lacksRights(placement.status),
    });
    const againMs = await this.#write(placement, health, facts);
    this.#remember(name, facts);
    return againMs;
  }

  /** Resolves to how long it is until the placement may be another without any report. */
  async #write(
    { metadata: { name, id } }: WorkloadPlacement,
    health: PlacementHealth,
    { nowMs, items, trees }: PlacementFacts,
  ): Promise<number | undefined> {
    const { store, clock } = this.#options;
    const newestMs = trees.reduce((newest, { root }) => Math.max(newest, root.observedAtMs), 0);
    const observedAt = newestMs === 0 ? undefined : new Date(newestMs).toISOString();
    const isApplied = !items.some(({ state }) => state === "intended");
    const tickMs = clock.monotonicMs();
    let told = health;
    const decide = ({ status, metadata: { generation } }: WorkloadPlacement) => {
      told = this.#flags.unsettled(name, health, markedIn(status), tickMs);
      return withHealth(status, told, { generation, isApplied, nowMs, observedAt });
    };
    try {
      const { outcome, object } = await store.objects.writeStatus(WorkloadPlacement, name, decide, { id });
      if (outcome === "updated") this.#written.set(name, object.metadata.resourceVersion);
      this.#flags.note(name, told, markedIn(object.status), tickMs);
      return told.againMs;
    } catch (error) {
      // It was deleted in the meantime, and with it everything that could be said about it.
      if (hasCode(error, "NotFound")) return undefined;
      throw error;
    }
  }
}
