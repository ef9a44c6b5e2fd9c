import type { Neighbour } from "./neighbourhood.ts";

/**
 * The nodes that a picture has room for: the one in the middle, then by rank, each with all that lies between it and the
 * middle, because a node that nothing leads to says nothing. The nearest come first in the end.
 */
export function withinBudget(neighbours: readonly Neighbour[], limit: number): Neighbour[] {
  if (neighbours.length <= limit) return inOrder(neighbours);
  const chosen = new Set<Neighbour>();
  const ranked = neighbours.toSorted(
    (one, other) => one.rank - other.rank || one.hop - other.hop || (one.key < other.key ? -1 : 1),
  );
  for (const neighbour of [...neighbours.slice(0, 1), ...ranked]) {
    const way = wayTo(neighbour, chosen);
    if (chosen.size + way.length > limit) continue;
    for (const each of way) chosen.add(each);
    if (chosen.size === limit) break;
  }
  return inOrder([...chosen]);
}

/** The same neighbourhood is told in the same order, however it was walked. */
function inOrder(neighbours: readonly Neighbour[]): Neighbour[] {
  return neighbours.toSorted(
    (one, other) => one.hop - other.hop || one.rank - other.rank || (one.key < other.key ? -1 : 1),
  );
}

/** The node itself and those before it that were not chosen yet. */
function wayTo(neighbour: Neighbour, chosen: ReadonlySet<Neighbour>): Neighbour[] {
  const way: Neighbour[] = [];
  for (
    let each: Neighbour | undefined = neighbour;
    each !== undefined && !chosen.has(each);
    each = each.after
  ) {
    way.push(each);
  }
  return way;
}
