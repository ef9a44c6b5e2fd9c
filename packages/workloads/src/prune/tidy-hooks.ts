import { objectText, type InventoryItem } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import { surplusHooks } from "../order/old-hooks.ts";
import { KindTable } from "../render/kind-table.ts";
import { pruneObjects, type PruneResult } from "./prune-objects.ts";
import { itemResult } from "./prune-result.ts";

interface Hooks {
  /** Of revisions before. */
  readonly old: readonly InventoryItem[];
  readonly current: readonly InventoryItem[];
  /** The revision is in the cluster with all that belongs to it. */
  readonly isApplied: boolean;
  readonly waitedMs: number | undefined;
}

/**
 * Hooks of revisions before are of no account any more, however they ended. The newest runs stay for people to look at;
 * the others go when the revision is applied. They are no objects of the manifests, so what those say of pruning is not
 * about them.
 */
export async function tidyHooks(
  context: EngineContext,
  { old, current, isApplied, waitedMs }: Hooks,
): Promise<Pick<PruneResult, "results" | "retries">> {
  if (old.length === 0) return { results: [], retries: [] };
  const { inventory, key, fence } = context;
  const going = isApplied ? surplusHooks(old, current) : old.filter(({ state }) => state === "pruning");
  const goes = new Set(going.map(objectText));
  const kept = old.filter((item) => !goes.has(objectText(item)));
  const news = kept.filter(({ state }) => state !== "kept");
  if (news.length > 0) await inventory.kept(key, news, { fence });
  const pruned = await pruneObjects(context, new KindTable(context.discovery, []), going, { waitedMs });
  return {
    results: [...kept.map((item) => itemResult(item, "kept")), ...pruned.results],
    retries: pruned.retries,
  };
}
