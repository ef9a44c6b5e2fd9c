import { shortened } from "@bowline/core";

import { checkReason } from "./reconcile-error.ts";

type ConditionStatus = "True" | "False" | "Unknown";

/** One statement about the state of an object, as Kubernetes has it. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** One word in PascalCase, for programs. */
  reason: string;
  /** A sentence for people; may be empty. */
  message: string;
  /** When the status last changed; RFC 3339. */
  lastTransitionTime: string;
  /** The generation of the object this was found out about. */
  observedGeneration: number;
}

export type ConditionUpdate = Omit<Condition, "lastTransitionTime">;

/** Messages quote errors from elsewhere, which can be of any length. */
const maxMessageLength = 4_096;

/** The condition of a type; undefined means the same as status Unknown. */
export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/**
 * The conditions with one of them set, in its place or at the end. The time of transition changes only with the status.
 * When nothing changes, the very same list comes back, so that a caller can tell that there is nothing to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  update: ConditionUpdate,
  nowMs: number,
): readonly Condition[] {
  checkReason(update.reason);
  const before = findCondition(conditions, update.type);
  const next: Condition = {
    ...update,
    message: shortened(update.message, maxMessageLength),
    lastTransitionTime:
      before?.status === update.status ? before.lastTransitionTime : new Date(nowMs).toISOString(),
  };
  if (before === undefined) return [...conditions, next];
  if (isSame(before, next)) return conditions;
  return conditions.map((condition) => (condition === before ? next : condition));
}

/** Without the condition; for those that are there only while they are true. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return findCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((condition) => condition.type !== type);
}

function isSame(one: Condition, other: Condition): boolean {
  return (
    one.status === other.status &&
    one.reason === other.reason &&
    one.message === other.message &&
    one.observedGeneration === other.observedGeneration
  );
}

interface SummaryRule {
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
