import type { Condition } from "./kinds/meta.ts";

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Puts a condition in its place. Its transition time only moves when its status does. */
export function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const previous = findCondition(conditions, condition.type);
  if (previous === undefined) return [...conditions, condition];
  const lastTransitionTime =
    previous.status === condition.status ? previous.lastTransitionTime : condition.lastTransitionTime;
  const next = lastTransitionTime === undefined ? condition : { ...condition, lastTransitionTime };
  return conditions.map((each) => (each.type === condition.type ? next : each));
}

export function withoutCondition(conditions: readonly Condition[], type: string): Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}
