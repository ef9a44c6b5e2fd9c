/**
 * The items of a list that is too long to be shown, in their order: from each group as many as from any other, as far as
 * it has them. The troubles of one must not hide those of all others.
 */
export function fairShare<T>(items: readonly T[], count: number, groupOf: (item: T) => string): T[] {
  if (items.length <= count) return [...items];
  const groups = [...Map.groupBy(items, groupOf).values()];
  const chosen = new Set<T>();
  for (let turn = 0; chosen.size < count; turn += 1) {
    for (const item of groups.flatMap((group) => group.slice(turn, turn + 1))) {
      if (chosen.size < count) chosen.add(item);
    }
  }
  return items.filter((item) => chosen.has(item));
}
