import type { InventoryItem } from "@bowline/store";

import type { EngineContext } from "./cluster/engine-context.ts";

/** All that the instance has in the cluster. */
export async function listItems({ inventory, key }: EngineContext): Promise<InventoryItem[]> {
  const items: InventoryItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await inventory.list(key, { limit: 500, cursor });
    items.push(...page.items);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return items;
}
