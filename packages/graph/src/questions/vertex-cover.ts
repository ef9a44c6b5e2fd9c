/**
 * The fewest of two sorts of things that are in all pairs of the two: whatever pair there is, one of it is chosen. Of
 * several choices that are as small, one with the most of the second sort. A pair is a number of either sort.
 *
 * By Kőnig's theorem they are as many as the pairs of a largest matching, which is found by augmenting paths.
 */
export function vertexCover(pairs: readonly (readonly [first: number, second: number])[]): {
  readonly first: ReadonlySet<number>;
  readonly second: ReadonlySet<number>;
} {
  const ofSecond = new Map<number, Set<number>>();
  for (const [first, second] of pairs) {
    const known = ofSecond.get(second);
    if (known === undefined) ofSecond.set(second, new Set([first]));
    else known.add(first);
  }
  const matched = matching(ofSecond);
  // From those of the second sort without a partner, along pairs and back along partners.
  const partners = new Set(matched.values());
  const reached = { first: new Set<number>(), second: new Set<number>() };
  const open = [...ofSecond.keys()].filter((second) => !partners.has(second));
  for (let second = open.pop(); second !== undefined; second = open.pop()) {
    reached.second.add(second);
    for (const first of ofSecond.get(second) ?? []) {
      if (reached.first.has(first)) continue;
      reached.first.add(first);
      const partner = matched.get(first);
      if (partner !== undefined && !reached.second.has(partner)) open.push(partner);
    }
  }
  const second = [...ofSecond.keys()].filter((each) => !reached.second.has(each));
  return { first: reached.first, second: new Set(second) };
}

/** As many pairs as possible that have nothing in common: of each of the first sort, its partner. */
function matching(ofSecond: ReadonlyMap<number, ReadonlySet<number>>): Map<number, number> {
  const partnerOf = new Map<number, number>();
  const findPartner = (second: number, tried: Set<number>): boolean => {
    for (const first of ofSecond.get(second) ?? []) {
      if (tried.has(first)) continue;
      tried.add(first);
      const rival = partnerOf.get(first);
      if (rival === undefined || findPartner(rival, tried)) {
        partnerOf.set(first, second);
        return true;
      }
    }
    return false;
  };
  for (const second of ofSecond.keys()) findPartner(second, new Set());
  return partnerOf;
}
