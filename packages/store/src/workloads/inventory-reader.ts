import { sql } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { rowsByKey, rowsOf, type Transaction } from "../engine/transaction.ts";
import { decodeCursor, encodeCursor, requireLimit } from "../records/page.ts";
import {
  byObject,
  inOrderOf,
  inventoryStates,
  itemOf,
  selectObjects,
  type ClusterObject,
  type InventoryItem,
  type InventoryKey,
  type InventoryRow,
  type InventoryState,
  type OwnedItem,
} from "./inventory-item.ts";

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface InventoryPage<T> {
  readonly items: readonly T[];
  /** Missing on the last page. */
  readonly cursor?: string;
}

/** The objects of an instance in one cluster, counted. */
export interface ClusterCounts {
  readonly clusterId: string;
  readonly clusterName: string;
  readonly counts: Readonly<Record<InventoryState, number>>;
}

/** Reads the inventory. */
export class InventoryReader {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async list(key: InventoryKey, { limit: wanted, cursor }: PageQuery): Promise<InventoryPage<InventoryItem>> {
    const limit = requireLimit(wanted);
    const identity = ["inventory", key.instanceId, key.clusterId];
    let query = this.#engine.queries
      .selectFrom("inventory")
      .selectAll()
      .where("instance_id", "=", key.instanceId)
      .where("cluster_id", "=", key.clusterId)
      .orderBy("api_group")
      .orderBy("kind")
      .orderBy("namespace")
      .orderBy("name")
      .limit(limit + 1);
    if (cursor !== undefined) {
      const [group, kind, namespace, name] = decodeCursor(identity, cursor).after.map(String);
      const after = sql`(${group ?? ""}, ${kind ?? ""}, ${namespace ?? ""}, ${name ?? ""})`;
      query = query.where(sql<boolean>`(api_group, kind, namespace, name) > ${after}`);
    }
    const rows = await this.#engine.read(() => rowsOf(query));
    const items = rows.slice(0, limit).map(itemOf);
    const last = items.at(-1);
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: cursorAfter(identity, [last.group, last.kind, last.namespace, last.name]) };
  }

  async clusters(
    instanceId: string,
    { limit: wanted, cursor }: PageQuery,
  ): Promise<InventoryPage<ClusterCounts>> {
    const limit = requireLimit(wanted);
    const identity = ["inventory", instanceId];
    const after = cursor === undefined ? "" : String(decodeCursor(identity, cursor).after[0]);
    const query = this.#engine.queries
      .selectFrom("inventory")
      .innerJoin("objects", "objects.id", "inventory.cluster_id")
      .select(["inventory.cluster_id", "objects.name"])
      .select((eb) =>
        inventoryStates.map((state) =>
          eb.fn.countAll<number>().filterWhere("inventory.state", "=", state).as(state),
        ),
      )
      .where("inventory.instance_id", "=", instanceId)
      .where("inventory.cluster_id", ">", after)
      .groupBy(["inventory.cluster_id", "objects.name"])
      .orderBy("inventory.cluster_id")
      .limit(limit + 1);
    const rows = await this.#engine.read(() => rowsOf(query));
    const items = rows
      .slice(0, limit)
      .map(({ cluster_id: clusterId, name: clusterName, ...counts }) => ({ clusterId, clusterName, counts }));
    const last = items.at(-1);
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: cursorAfter(identity, [last.clusterId]) };
  }

  async find(clusterId: string, objects: readonly ClusterObject[]): Promise<OwnedItem[]> {
    const wanted = byObject(objects);
    const found = selectObjects(clusterId, wanted.values());
    const engine = this.#engine;
    return engine.readSnapshot(function* (): Transaction<OwnedItem[]> {
      return yield* withOwners(engine, inOrderOf(wanted, yield* rowsByKey(found)));
    });
  }
}

/** The items of rows with the names of their owners, which are there as long as their rows are. */
export function* withOwners({ queries }: Engine, rows: readonly InventoryRow[]): Transaction<OwnedItem[]> {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map((row) => row.instance_id))];
  const owners = yield* rowsOf(queries.selectFrom("objects").select(["id", "name"]).where("id", "in", ids));
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...itemOf(row), instanceName: names.get(row.instance_id) ?? "" }));
}

/** Nothing is counted for all pages, and the inventory has no revision to go on from. */
function cursorAfter(identity: readonly string[], after: readonly string[]): string {
  return encodeCursor(identity, { after, total: 0, revision: 0 });
}
