import { BowlineError } from "@bowline/core";

import { selectRows, type BulkStatement } from "../engine/bulk-statement.ts";
import { tables, type RowOf } from "../engine/tables.ts";

/** An object in a cluster, whichever version of its kind it is written in. */
export interface ClusterObject {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for an object that has none. */
  readonly namespace: string;
  readonly name: string;
}

/** An instance in a cluster, by the ids of their objects. */
export interface InventoryKey {
  readonly instanceId: string;
  readonly clusterId: string;
}

/**
 * - `intended`: its revision is to be applied; a request may be under way, and may have succeeded
 * - `applied`: its revision is in the cluster
 * - `pruning`: it is to be deleted; a request may be under way
 * - `kept`: it is not in the revision any more, and stays in the cluster
 */
export const inventoryStates = ["intended", "applied", "pruning", "kept"] as const;
export type InventoryState = (typeof inventoryStates)[number];

/** When an object that runs once for a revision does so: before the others, after them, or before they are deleted. */
export type HookPhase = "pre" | "post" | "delete";

/**
 * - `succeeded`, `failed`: it said so itself
 * - `lost`: it was gone before anybody saw its end
 */
export type HookEnd = "succeeded" | "failed" | "lost";

/** An object in a cluster and the instance that owns it. */
export interface InventoryItem extends ClusterObject, InventoryKey {
  /** Missing until it was applied for the first time. */
  readonly uid?: string | undefined;
  readonly version: string;
  /** Its place in the order of applying; objects of later stages are deleted first. */
  readonly stage: number;
  readonly state: InventoryState;
  readonly revision: string;
  /** When its revision, or the last one before, came into the cluster. */
  readonly appliedAtMs?: number | undefined;
  /** Of the object when that was applied; whatever has another one since is a later state. */
  readonly resourceVersion?: string | undefined;
  /** The fields that were ours when it was applied last; another digest in the cluster is drift. */
  readonly digest?: string | undefined;
  /** The hash of what was applied; missing while another content may be under way. */
  readonly content?: string | undefined;
  /** Its owner takes it from others, so that none of them can take it back. */
  readonly adopts?: boolean | undefined;
  /** It runs once: what was made is never sent again. */
  readonly hook?: HookPhase | undefined;
  /** Of a hook that has run. */
  readonly hookEnd?: HookEnd | undefined;
}

/** The same with the name of its owner. */
export interface OwnedItem extends InventoryItem {
  readonly instanceName: string;
}

export type InventoryRow = RowOf<"inventory">;

/** One transaction changes all of them; SQLite does nothing else in the meantime. */
const maxObjects = 10_000;

/** An object as one text, to find it by. */
export function objectText({ group, kind, namespace, name }: ClusterObject): string {
  return JSON.stringify([group, kind, namespace, name]);
}

export function rowText({ api_group: group, kind, namespace, name }: InventoryRow): string {
  return objectText({ group, kind, namespace, name });
}

type InventoryRowKey = Pick<InventoryRow, (typeof tables.inventory.primaryKey)[number]>;

export function rowKey(clusterId: string, { group, kind, namespace, name }: ClusterObject): InventoryRowKey {
  return { cluster_id: clusterId, api_group: group, kind, namespace, name };
}

/** Selects the rows of objects. */
export function selectObjects(
  clusterId: string,
  objects: Iterable<ClusterObject>,
): BulkStatement & { readonly table: "inventory" } {
  const keys = Array.from(objects, (object) => rowKey(clusterId, object));
  return selectRows("inventory", tables.inventory.primaryKey, keys);
}

/** Rows in the order of the objects they are of; a database returns them in any. */
export function inOrderOf(
  objects: ReadonlyMap<string, unknown>,
  rows: readonly InventoryRow[],
): InventoryRow[] {
  const byText = new Map(rows.map((row) => [rowText(row), row]));
  return [...objects.keys()].flatMap((text) => byText.get(text) ?? []);
}

export function itemOf(row: InventoryRow): InventoryItem {
  return {
    instanceId: row.instance_id,
    clusterId: row.cluster_id,
    group: row.api_group,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    ...(row.uid === null ? {} : { uid: row.uid }),
    version: row.version,
    stage: row.stage,
    state: row.state as InventoryState,
    revision: row.revision,
    ...(row.applied_at === null ? {} : { appliedAtMs: row.applied_at }),
    ...(row.resource_version === null ? {} : { resourceVersion: row.resource_version }),
    ...(row.digest === null ? {} : { digest: row.digest }),
    ...(row.content === null ? {} : { content: row.content }),
    ...(row.adopts === 0 ? {} : { adopts: true }),
    ...(row.hook === null ? {} : { hook: row.hook as HookPhase }),
    ...(row.hook_end === null ? {} : { hookEnd: row.hook_end as HookEnd }),
  };
}

/**
 * By object, in one order whoever asks, so that two replicas wait for each other instead of locking each other out.
 * `InvalidArgument` when there are too many, or one is named twice.
 */
export function byObject<T extends ClusterObject>(objects: readonly T[]): Map<string, T> {
  if (objects.length > maxObjects) {
    throw new BowlineError(
      "InvalidArgument",
      `At most ${maxObjects} objects can be named at once, not ${objects.length}.`,
    );
  }
  const known = new Map<string, T>();
  for (const object of objects) {
    const key = objectText(object);
    if (known.has(key)) {
      const { kind, namespace, name } = object;
      const place = namespace === "" ? "" : ` in the namespace ${namespace}`;
      throw new BowlineError("InvalidArgument", `The ${kind} ${name}${place} is named twice.`);
    }
    known.set(key, object);
  }
  return new Map([...known].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
