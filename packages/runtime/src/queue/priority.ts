/** `high` is for people who wait, `low` for work that only has to happen at some time, such as a resync. */
export type Priority = "high" | "normal" | "low";

/** From the one served first to the one served last. */
export const priorities: readonly Priority[] = ["high", "normal", "low"];

/** 0 for the highest. */
const ranks: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

export function higherOf(one: Priority, other: Priority): Priority {
  return ranks[one] <= ranks[other] ? one : other;
}

/**
 * How often in a row a level may be passed over while it has keys waiting. Then its first key goes next, before all
 * that is higher, so nothing waits forever: a low key that is first in its level waits for at most 16 others, a normal
 * one for at most 5. While nobody's patience has ended, the highest level goes first; `high` needs no patience, since
 * only a level whose patience has ended ever goes before it.
 */
export const patience: Readonly<Record<Priority, number>> = { high: Infinity, normal: 4, low: 16 };
