import { BowlineError } from "@bowline/core";

import { insertMissingRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsByKey, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { lockFence, type Fence } from "../objects/fence.ts";
import {
  byObject,
  inOrderOf,
  itemOf,
  objectText,
  rowKey,
  rowText,
  selectObjects,
  type ClusterObject,
  type HookPhase,
  type InventoryItem,
  type InventoryKey,
  type InventoryRow,
  type OwnedItem,
} from "./inventory-item.ts";
import { withOwners } from "./inventory-reader.ts";

export interface IntendedObject extends ClusterObject {
  readonly version: string;
  readonly stage: number;
  /** The hash of what is to be applied. An object that it was applied to already needs no request. */
  readonly content?: string | undefined;
  readonly hook?: HookPhase | undefined;
}

export interface IntendOptions {
  /** The revision that is to be applied. */
  readonly revision: string;
  /**
   * Objects that are taken from the instance that owns them, if one does, and if that one does not adopt them itself. Left
   * out, those of this instance stay adopted or not, as they are.
   */
  readonly adopt?: readonly ClusterObject[] | undefined;
  readonly fence?: Fence | undefined;
}

/**
 * - `intended`: written; the objects as they are in the inventory now
 * - `refused`: others own some of the objects, nothing was written
 */
export type IntendResult =
  | { readonly outcome: "intended"; readonly items: readonly InventoryItem[] }
  | { readonly outcome: "refused"; readonly owned: readonly OwnedItem[] };

/** Thrown to undo what the transaction has written. */
class OwnedByOthers extends Error {
  readonly owned: readonly OwnedItem[];

  constructor(owned: readonly OwnedItem[]) {
    super("Other instances own some of the objects.");
    this.owned = owned;
  }
}

export async function intendObjects(
  engine: Engine,
  key: InventoryKey,
  objects: readonly IntendedObject[],
  options: IntendOptions,
): Promise<IntendResult> {
  const wanted = byObject(objects);
  try {
    const rows = await engine.commit(() => intend(engine, key, wanted, options));
    return { outcome: "intended", items: rows.map(itemOf) };
  } catch (error) {
    if (error instanceof OwnedByOthers) return { outcome: "refused", owned: error.owned };
    throw error;
  }
}

/**
 * Rows that are missing are inserted before anybody looks who owns the others: the primary key decides between two
 * instances that want one object at the same moment, and the second sees the first's row.
 */
function* intend(
  engine: Engine,
  key: InventoryKey,
  wanted: ReadonlyMap<string, IntendedObject>,
  { revision, adopt, fence }: IntendOptions,
): Transaction<InventoryRow[]> {
  yield* lockFence(fence);
  const adopted = new Set(adopt?.map(objectText));
  const next = (row: InventoryRow): InventoryRow => {
    const text = rowText(row);
    const adopts = adopt === undefined ? row.adopts : adopted.has(text) ? 1 : 0;
    return nextRow(row, key, { object: wanted.get(text), revision, adopts });
  };
  // Nothing is locked when nothing changes, as it is nearly every time.
  const select = selectObjects(key.clusterId, wanted.values());
  const known = inOrderOf(wanted, yield* rowsByKey(select));
  if (known.length === wanted.size && known.every((row) => next(row) === row)) return known;
  yield* requirePresent(engine, key, revision);
  const newRows = Array.from(wanted.values(), (object) => newRow(key, object, revision));
  yield* run(insertMissingRows("inventory", newRows));
  const rows = inOrderOf(wanted, yield* rowsByKey({ ...select, lock: true }));
  const isTaken = (row: InventoryRow): boolean => adopted.has(rowText(row)) && row.adopts === 0;
  const foreign = rows.filter((row) => row.instance_id !== key.instanceId && !isTaken(row));
  if (foreign.length > 0) throw new OwnedByOthers(yield* withOwners(engine, foreign));
  const changed = rows.map(next).filter((row, index) => row !== rows[index]);
  yield* run(upsertRows("inventory", changed));
  return rows.map(next);
}

function newRow({ instanceId, clusterId }: InventoryKey, object: IntendedObject, revision: string) {
  const { version, stage, hook = null } = object;
  const row = { ...rowKey(clusterId, object), instance_id: instanceId, version, stage, revision };
  const unsent = { uid: null, applied_at: null, resource_version: null, digest: null, content: null };
  return { ...row, ...unsent, state: "intended", adopts: 0, hook, hook_end: null };
}

interface NextRow {
  readonly object: IntendedObject | undefined;
  readonly revision: string;
  readonly adopts: number;
}

/**
 * The very same row when it is as it should be. What is known of the object in the cluster stays, except for the content:
 * from here on a request with another one may have come through.
 */
function nextRow(
  row: InventoryRow,
  { instanceId }: InventoryKey,
  { object, revision, adopts }: NextRow,
): InventoryRow {
  const { version, stage, content = null } = object ?? row;
  const isOwn = row.instance_id === instanceId;
  const isThere = isOwn && row.state === "applied" && row.version === version && row.content === content;
  // The same content in another revision is in the cluster already; without a hash only the revision can tell.
  const isSame = isThere && (content !== null || row.revision === revision);
  // A hook that was made has run, or does so now, whatever has become of it.
  const isRun = isOwn && row.hook !== null && row.uid !== null;
  const isApplied = isSame || isRun;
  const next: InventoryRow = isApplied
    ? { ...row, state: "applied", revision, stage, adopts }
    : { ...row, instance_id: instanceId, state: "intended", revision, version, stage, content: null, adopts };
  return isEqual(row, next) ? row : next;
}

function isEqual(row: InventoryRow, next: InventoryRow): boolean {
  const columns = ["instance_id", "state", "revision", "version", "stage", "content", "adopts"] as const;
  return columns.every((column) => row[column] === next[column]);
}

/** Locks the instance, the cluster and the revision, so that none of them goes before the commit. */
function* requirePresent(
  { queries, dialect }: Engine,
  { instanceId, clusterId }: InventoryKey,
  revision: string,
): Transaction<void> {
  const present = queries.selectFrom("objects").select("id").where("id", "in", [instanceId, clusterId]);
  const rows = yield* rowsOf(dialect === "postgres" ? present.forKeyShare() : present);
  for (const id of [instanceId, clusterId]) {
    if (rows.some((row) => row.id === id)) continue;
    const what = id === instanceId ? "instance" : "cluster";
    throw new BowlineError("NotFound", `The ${what} ${id} was deleted; nothing can be applied for it.`);
  }
  const kept = queries
    .selectFrom("revisions")
    .innerJoin("blobs", "blobs.id", "revisions.id")
    .select("revisions.id")
    .where("revisions.id", "=", revision);
  if ((yield* firstRowOf(dialect === "postgres" ? kept.forKeyShare() : kept)) !== undefined) return;
  throw new BowlineError("NotFound", `The revision ${revision} is not kept any more.`);
}
