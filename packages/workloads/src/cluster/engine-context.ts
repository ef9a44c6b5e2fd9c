import { allPages, type Clock } from "@bowline/core";
import type { Discovery, KubeClient } from "@bowline/kube";
import type { Fence, Inventory, InventoryItem, InventoryKey } from "@bowline/store";

export interface EngineOptions {
  /** Acts as somebody already. */
  readonly client: KubeClient;
  /** Of the same cluster; kept between runs, so that an unchanged workload asks for nothing. */
  readonly discovery: Discovery;
  readonly inventory: Inventory;
  readonly key: InventoryKey;
  /** The name of the instance. */
  readonly instance: string;
  readonly clock: Clock;
  /** The grant of a lease under which the inventory is written. */
  readonly fence?: Fence | undefined;
}

/** What every part of one run needs. */
export interface EngineContext extends EngineOptions {
  readonly signal: AbortSignal;
}

/** All that the instance has in the cluster. */
export function listItems({ inventory, key }: EngineContext): Promise<InventoryItem[]> {
  return allPages((cursor) => inventory.list(key, { limit: 500, cursor }));
}
