import { checkReason } from "../reconcile/reason.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

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
    message: shortened(update.message),
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

function shortened(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength - 1).toWellFormed()}…`;
}
