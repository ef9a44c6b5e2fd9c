import { objectText, type InventoryItem } from "@bowline/store";

import { hookNameStart } from "./hook-name.ts";

/** So many runs of a hook are kept for people to look at, with that of the current revision. */
const keptRuns = 3;

/** The hooks of revisions before that are too many, among those that are not in the current one. */
export function surplusHooks(
  old: readonly InventoryItem[],
  current: readonly InventoryItem[],
): readonly InventoryItem[] {
  const startOf = ({ name, ...object }: InventoryItem): string =>
    objectText({ ...object, name: hookNameStart(name) });
  const newer = Map.groupBy(current, startOf);
  return [...Map.groupBy(old, startOf)].flatMap(([start, runs]) => {
    const room = Math.max(0, keptRuns - (newer.get(start)?.length ?? 0));
    return runs
      .toSorted((a, b) => (b.appliedAtMs ?? 0) - (a.appliedAtMs ?? 0) || (a.name < b.name ? -1 : 1))
      .slice(room);
  });
}
