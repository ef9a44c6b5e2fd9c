import { findCondition, setCondition, type Condition, type ConditionUpdate } from "./condition.ts";

export interface SummaryRule {
  /** Conditions that have to be true for the object to be ready, the most important first. */
  readonly positive: readonly string[];
}

type Summary = Pick<ConditionUpdate, "status" | "reason" | "message">;

/**
 * Sets `Ready` from the other conditions; nothing else ever sets it, so it cannot contradict them. The first rule that
 * applies decides:
 *
 * 1. `Stalled` is true: not ready, for its reason
 * 2. one of `positive` is false: not ready, for its reason
 * 3. `Reconciling` is true: unknown, for its reason
 * 4. one of `positive` is unknown, missing, or about an older generation: unknown
 * 5. ready
 */
export function summarize(
  conditions: readonly Condition[],
  rule: SummaryRule,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): readonly Condition[] {
  const summary = summaryOf(conditions, rule, generation);
  return setCondition(conditions, { type: "Ready", ...summary, observedGeneration: generation }, nowMs);
}

function summaryOf(conditions: readonly Condition[], { positive }: SummaryRule, generation: number): Summary {
  const isCurrent = (condition: Condition): boolean => condition.observedGeneration >= generation;
  const firstWith = (types: readonly string[], status: Condition["status"]): Condition | undefined =>
    types
      .flatMap((type) => findCondition(conditions, type) ?? [])
      .find((condition) => condition.status === status && isCurrent(condition));

  const wrong = firstWith(["Stalled"], "True") ?? firstWith(positive, "False");
  if (wrong !== undefined) return { status: "False", reason: wrong.reason, message: wrong.message };
  const work = firstWith(["Reconciling"], "True");
  if (work !== undefined) return { status: "Unknown", reason: work.reason, message: work.message };
  return (
    summaryOfUnknown(conditions, positive, isCurrent) ?? { status: "True", reason: "Ready", message: "" }
  );
}

function summaryOfUnknown(
  conditions: readonly Condition[],
  positive: readonly string[],
  isCurrent: (condition: Condition) => boolean,
): Summary | undefined {
  for (const type of positive) {
    const condition = findCondition(conditions, type);
    if (condition === undefined || !isCurrent(condition))
      return { status: "Unknown", reason: "Progressing", message: `${type} is not known yet.` };
    if (condition.status === "Unknown")
      return { status: "Unknown", reason: condition.reason, message: condition.message };
  }
  return undefined;
}
