import { placementName, WorkloadPlacement } from "@bowline/api";
import { LruMap, type BowlineError, type Clock, type Random } from "@bowline/core";
import { LogInformer, typed, type Change, type Store } from "@bowline/store";

export interface PlacementIndexOptions {
  readonly store: Pick<Store, "changes" | "objects">;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError?: (error: BowlineError) => void;
}

const pageSize = 500;
/** So long an answer of the database that there is no such placement is believed. */
const believedMs = 250;
/** How many are looked up for one batch: a cluster may make up a name for each of its items. */
const maxLooks = 100;
/** Names that clusters make up; the oldest are forgotten. */
const maxUnknown = 10_000;

/** Which instances are placed in which clusters, kept up with the log of changes. */
export class PlacementIndex {
  readonly #options: PlacementIndexOptions;
  readonly #informer: LogInformer<Change>;
  #placed = new Set<string>();
  /** Until when it is believed that there is no such placement. */
  readonly #unknown = new LruMap<string, number>(maxUnknown);

  constructor(options: PlacementIndexOptions) {
    this.#options = options;
    this.#informer = new LogInformer({
      ...options,
      log: options.store.changes,
      kinds: [WorkloadPlacement.kind],
      list: () => this.#list(),
      handle: (changes) => {
        for (const { type, object } of changes) {
          const key = keyOf(typed(WorkloadPlacement, object));
          if (type === "DELETED") this.#placed.delete(key);
          else this.#placed.add(key);
        }
      },
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  stop(): Promise<void> {
    return this.#informer.close();
  }

  /**
   * Those of the instances that are placed in the cluster. What the log has not told yet is looked up: another replica
   * may have placed it a moment ago, and an item that is refused does not come again.
   */
  async placedIn(cluster: string, instances: Iterable<string>): Promise<ReadonlySet<string>> {
    const placed = new Set<string>();
    let looks = 0;
    for (const instance of instances) {
      const isPlaced =
        this.#placed.has(`${cluster}/${instance}`) ||
        (looks++ < maxLooks && (await this.#look(cluster, instance)));
      if (isPlaced) placed.add(instance);
    }
    return placed;
  }

  async #look(cluster: string, instance: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const key = `${cluster}/${instance}`;
    const nowMs = clock.monotonicMs();
    if ((this.#unknown.get(key) ?? 0) > nowMs) return false;
    const found = await store.objects.get(WorkloadPlacement, placementName(instance, cluster));
    if (found !== undefined && keyOf(found) === key) return true;
    this.#unknown.set(key, nowMs + believedMs);
    return false;
  }

  async #list(): Promise<void> {
    const placed = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await this.#options.store.objects.list(WorkloadPlacement, { limit: pageSize, cursor });
      for (const placement of page.items) placed.add(keyOf(placement));
      ({ cursor } = page);
    } while (cursor !== undefined);
    this.#placed = placed;
  }
}

function keyOf({ spec }: WorkloadPlacement): string {
  return `${spec.cluster}/${spec.instance}`;
}
