import { deleteRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsByKey, run, type Transaction } from "../engine/transaction.ts";
import { lockFence, type Fence } from "../objects/fence.ts";
import {
  intendObjects,
  type IntendedObject,
  type IntendOptions,
  type IntendResult,
} from "./intend-objects.ts";
import {
  byObject,
  rowText,
  selectObjects,
  type ClusterObject,
  type HookEnd,
  type InventoryItem,
  type InventoryKey,
  type InventoryRow,
  type InventoryState,
  type OwnedItem,
} from "./inventory-item.ts";
import {
  InventoryReader,
  type ClusterCounts,
  type InventoryPage,
  type PageQuery,
} from "./inventory-reader.ts";

export interface AppliedObject extends ClusterObject {
  readonly uid: string;
  readonly version: string;
  readonly appliedAtMs: number;
  /** As the cluster answered. */
  readonly resourceVersion?: string | undefined;
  /** The fields that are ours now, as the cluster answered. */
  readonly digest?: string | undefined;
  /** The hash of what was applied. */
  readonly content?: string | undefined;
}

/** A hook that has run. */
export interface EndedHook extends ClusterObject {
  readonly end: HookEnd;
}

interface Fenced {
  /** The grant of a lease under which this is written. */
  readonly fence?: Fence | undefined;
}

/** The next state of the rows that an instance owns; what is not returned is deleted. */
type Change<T> = (row: InventoryRow, object: T) => InventoryRow | undefined;

/**
 * The objects that instances own in clusters, each by one: written before the first request for an object goes out, and
 * deleted after the object is gone, so that whatever dies in between, nothing is in a cluster that nobody knows of.
 *
 * A row goes with the object of its instance or its cluster, in the same transaction. Finalizers keep an instance until
 * its rows are gone; a Cluster that is deleted takes its rows along, as nobody can reach what they name.
 *
 * Every write is one transaction, and is refused with `LeaseLost` when its fence's grant was followed by another.
 * Writes other than `intend` leave alone objects that the instance does not own, and resolve to those.
 */
export class Inventory {
  readonly #engine: Engine;
  readonly #reader: InventoryReader;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#reader = new InventoryReader(engine);
  }

  /**
   * Claims objects before any request for them goes out: all of them, or none when another instance owns one. An object
   * that is there already keeps its uid. One that has this content already stays applied, also in another revision; of
   * one that comes without the hash of its content, the revision decides.
   * `NotFound` when the instance, the cluster or the revision is gone.
   */
  intend(
    key: InventoryKey,
    objects: readonly IntendedObject[],
    options: IntendOptions,
  ): Promise<IntendResult> {
    return intendObjects(this.#engine, key, objects, options);
  }

  /** The revision is in the cluster. The time stays while uid, version, revision and content do. */
  applied(
    key: InventoryKey,
    objects: readonly AppliedObject[],
    { revision, fence }: Fenced & { readonly revision: string },
  ): Promise<ClusterObject[]> {
    const change: Change<AppliedObject> = (row, object) => {
      const { uid, version, digest = null, content = null, resourceVersion = null, appliedAtMs } = object;
      const isSame =
        row.state === "applied" && row.uid === uid && row.version === version && row.revision === revision;
      if (isSame && row.digest === digest && row.content === content) return row;
      const time = isSame && row.content === content ? row.applied_at : appliedAtMs;
      const known = { uid, version, revision, digest, content, resource_version: resourceVersion };
      return { ...row, ...known, state: "applied", applied_at: time };
    };
    return this.#change(key, objects, change, fence);
  }

  /** They have run. The first end that is known stays. */
  ended(key: InventoryKey, hooks: readonly EndedHook[], options: Fenced = {}): Promise<ClusterObject[]> {
    const change: Change<EndedHook> = (row, { end }) =>
      row.hook === null || row.hook_end !== null ? row : { ...row, hook_end: end };
    return this.#change(key, hooks, change, options.fence);
  }

  /** They are to be deleted, before any request for that goes out. */
  pruning(
    key: InventoryKey,
    objects: readonly ClusterObject[],
    options: Fenced = {},
  ): Promise<ClusterObject[]> {
    return this.#change(key, objects, (row) => inState(row, "pruning"), options.fence);
  }

  /** They are not in the revision any more, but stay in the cluster, and stay the instance's. */
  kept(key: InventoryKey, objects: readonly ClusterObject[], options: Fenced = {}): Promise<ClusterObject[]> {
    return this.#change(key, objects, (row) => inState(row, "kept"), options.fence);
  }

  /** They are gone from the cluster, or are to be nobody's. */
  gone(key: InventoryKey, objects: readonly ClusterObject[], options: Fenced = {}): Promise<ClusterObject[]> {
    return this.#change(key, objects, () => undefined, options.fence);
  }

  /** A page of the objects of an instance in a cluster, by group, kind, namespace and name. */
  list(key: InventoryKey, query: PageQuery = {}): Promise<InventoryPage<InventoryItem>> {
    return this.#reader.list(key, query);
  }

  /** A page of the clusters in which an instance owns objects, by their ids. */
  clusters(instanceId: string, query: PageQuery = {}): Promise<InventoryPage<ClusterCounts>> {
    return this.#reader.clusters(instanceId, query);
  }

  /** The objects among these that an instance owns, with its name. */
  find(clusterId: string, objects: readonly ClusterObject[]): Promise<OwnedItem[]> {
    return this.#reader.find(clusterId, objects);
  }

  async #change<T extends ClusterObject>(
    key: InventoryKey,
    objects: readonly T[],
    change: Change<T>,
    fence: Fence | undefined,
  ): Promise<ClusterObject[]> {
    const given = byObject(objects);
    const owned = await this.#engine.commit(() => changeOwned(key, given, change, fence));
    return [...given].filter(([text]) => !owned.has(text)).map(([, object]) => object);
  }
}

/** Returns the objects that the instance owned. */
function* changeOwned<T extends ClusterObject>(
  { instanceId, clusterId }: InventoryKey,
  objects: ReadonlyMap<string, T>,
  change: Change<T>,
  fence: Fence | undefined,
): Transaction<ReadonlySet<string>> {
  yield* lockFence(fence);
  const rows = yield* rowsByKey({ ...selectObjects(clusterId, objects.values()), lock: true });
  const owned = new Set<string>();
  const changed: InventoryRow[] = [];
  const gone: InventoryRow[] = [];
  for (const row of rows) {
    const text = rowText(row);
    const object = objects.get(text);
    if (row.instance_id !== instanceId || object === undefined) continue;
    owned.add(text);
    const next = change(row, object);
    if (next === undefined) gone.push(row);
    else if (next !== row) changed.push(next);
  }
  yield* run(upsertRows("inventory", changed));
  yield* run(deleteRows("inventory", gone));
  return owned;
}

function inState(row: InventoryRow, state: InventoryState): InventoryRow {
  // What is not wanted any more is not claimed any more either.
  return row.state === state ? row : { ...row, state, adopts: 0 };
}
