import { withCondition } from "../conditions.ts";
import { resolveIntOrPercent } from "../int-or-percent.ts";
import type { Pod } from "../kinds/pod.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../kinds/policy.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { parseTimestamp, timestamp } from "../timestamps.ts";

/** A granted eviction that nothing came of counts no more after this. */
export const evictionTimeoutMs = 120_000;

/** The pods a budget is about, and how many its controllers want to have. */
export interface GuardedPods {
  readonly pods: readonly Pod[];
  readonly wanted: number;
}

/** How many pods of a budget may go now. */
export function disruptionStatus(
  budget: PodDisruptionBudget,
  guarded: GuardedPods,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const disruptedPods = pendingEvictions(budget, guarded.pods, nowMs);
  const stays = (pod: Pod): boolean => !isTerminating(pod) && !(pod.metadata.name in disruptedPods);
  const currentHealthy = guarded.pods.filter((pod) => isReady(pod) && stays(pod)).length;
  const { expectedPods, desiredHealthy } = demand(budget, guarded);
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const status = {
    ...(budget.metadata.generation === undefined ? {} : { observedGeneration: budget.metadata.generation }),
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
  };
  // The older version has no conditions.
  return budget.apiVersion === "policy/v1" ? withAllowedCondition(budget, status, nowMs) : status;
}

function pendingEvictions(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): Record<string, string> {
  const present = new Set(pods.filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name));
  const isPending = ([name, time]: [string, string]): boolean =>
    present.has(name) && (parseTimestamp(time) ?? 0) + evictionTimeoutMs > nowMs;
  return Object.fromEntries(Object.entries(status?.disruptedPods ?? {}).filter(isPending));
}

function demand(
  { spec }: PodDisruptionBudget,
  { pods, wanted }: GuardedPods,
): { expectedPods: number; desiredHealthy: number } {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const missing = resolveIntOrPercent(maxUnavailable, wanted, "up");
    return { expectedPods: wanted, desiredHealthy: Math.max(0, wanted - missing) };
  }
  if (typeof minAvailable === "number") {
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  }
  return { expectedPods: wanted, desiredHealthy: resolveIntOrPercent(minAvailable ?? 0, wanted, "up") };
}

function withAllowedCondition(
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const isAllowed = status.disruptionsAllowed > 0;
  const condition = {
    type: "DisruptionAllowed",
    status: isAllowed ? "True" : "False",
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
    lastTransitionTime: timestamp(nowMs),
    ...(budget.metadata.generation === undefined ? {} : { observedGeneration: budget.metadata.generation }),
  } as const;
  return { ...status, conditions: withCondition(budget.status?.conditions ?? [], condition) };
}
