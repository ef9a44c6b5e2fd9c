import { findCondition, withCondition, withoutCondition } from "../conditions.ts";
import type { Condition, ConditionStatus } from "../kinds/meta.ts";
import type { Deployment, DeploymentStatus } from "../kinds/workloads.ts";
import { parseTimestamp, timestamp } from "../timestamps.ts";
import { maxUnavailable, progressDeadlineSeconds, replicasOf } from "./deployment-strategy.ts";
import { allOf, availablePods, sum, wantedPods, type ReplicaSetGroups } from "./replica-set-groups.ts";

/** The counts of a Deployment with its Available condition; other conditions stay as they are. */
export function countStatus(
  deployment: Deployment,
  groups: ReplicaSetGroups,
  nowMs: number,
): DeploymentStatus {
  const all = allOf(groups);
  const available = availablePods(all);
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const availability = enough
    ? condition(
        "Available",
        "True",
        ["MinimumReplicasAvailable", "Deployment has minimum availability."],
        nowMs,
      )
    : condition(
        "Available",
        "False",
        ["MinimumReplicasUnavailable", "Deployment does not have minimum availability."],
        nowMs,
      );
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  return {
    ...(deployment.metadata.generation === undefined
      ? {}
      : { observedGeneration: deployment.metadata.generation }),
    ...counts({
      replicas: sum(all, (each) => each.status?.replicas ?? 0),
      updatedReplicas: groups.newest?.status?.replicas ?? 0,
      readyReplicas: sum(all, (each) => each.status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wantedPods(all) - available),
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: setCondition(conditions, availability),
  };
}

/** Adds what a rollout says of its progress, and of ReplicaSets that cannot make pods. */
export function rolloutStatus(
  deployment: Deployment,
  groups: ReplicaSetGroups,
  nowMs: number,
): DeploymentStatus {
  const status = countStatus(deployment, groups, nowMs);
  const conditions = progressConditions(deployment, status, groups, nowMs);
  return { ...status, conditions: failureConditions(conditions, groups, nowMs) };
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** How long until a rollout that does not move counts as stuck. */
export function deadlineInMs(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const seconds = progressDeadlineSeconds(deployment);
  const progressing = findCondition(status.conditions, "Progressing");
  if (seconds === undefined || progressing === undefined || isComplete(deployment, status)) return undefined;
  if (progressing.reason === "ProgressDeadlineExceeded" || progressing.reason === "NewReplicaSetAvailable") {
    return undefined;
  }
  const fromMs = parseTimestamp(progressing.lastUpdateTime) ?? nowMs;
  // One second more, because times are kept in whole seconds.
  return Math.max(0, fromMs + seconds * 1000 - nowMs) + 1000;
}

/** The Progressing condition while a Deployment is paused, or just was. */
export function pauseConditions(deployment: Deployment, nowMs: number): Condition[] | undefined {
  const conditions = deployment.status?.conditions ?? [];
  const current = findCondition(conditions, "Progressing");
  if (progressDeadlineSeconds(deployment) === undefined) return undefined;
  if (current?.reason === "ProgressDeadlineExceeded") return undefined;
  const isPaused = current?.reason === "DeploymentPaused";
  if (deployment.spec.paused === true && !isPaused) {
    const paused = condition("Progressing", "Unknown", ["DeploymentPaused", "Deployment is paused"], nowMs);
    return setCondition(conditions, paused);
  }
  if (deployment.spec.paused !== true && isPaused) {
    const resumed = condition(
      "Progressing",
      "Unknown",
      ["DeploymentResumed", "Deployment is resumed"],
      nowMs,
    );
    return setCondition(conditions, resumed);
  }
  return undefined;
}

/** The Progressing condition at the moment a new ReplicaSet is made, or an earlier one is taken up again. */
export function newReplicaSetConditions(
  deployment: Deployment,
  reason: "NewReplicaSetCreated" | "FoundNewReplicaSet",
  name: string,
  nowMs: number,
): Condition[] {
  const conditions = deployment.status?.conditions ?? [];
  if (progressDeadlineSeconds(deployment) === undefined) return conditions;
  const message =
    reason === "NewReplicaSetCreated"
      ? `Created new replica set "${name}"`
      : `Found new replica set "${name}"`;
  return setCondition(conditions, condition("Progressing", "True", [reason, message], nowMs));
}

function progressConditions(
  deployment: Deployment,
  status: DeploymentStatus,
  groups: ReplicaSetGroups,
  nowMs: number,
): Condition[] {
  const conditions = status.conditions ?? [];
  if (progressDeadlineSeconds(deployment) === undefined) return withoutCondition(conditions, "Progressing");
  const current = findCondition(deployment.status?.conditions, "Progressing");
  const isDone = status.replicas === status.updatedReplicas && current?.reason === "NewReplicaSetAvailable";
  if (isDone) return conditions;
  const who =
    groups.newest === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${groups.newest.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const done: [string, string] = ["NewReplicaSetAvailable", `${who} has successfully progressed.`];
    return setCondition(conditions, condition("Progressing", "True", done, nowMs));
  }
  if (hasMoved(deployment.status ?? {}, status)) {
    const moved: [string, string] = ["ReplicaSetUpdated", `${who} is progressing.`];
    return replaceCondition(conditions, condition("Progressing", "True", moved, nowMs));
  }
  if (hasTimedOut(deployment, current, nowMs)) {
    const late: [string, string] = ["ProgressDeadlineExceeded", `${who} has timed out progressing.`];
    return setCondition(conditions, condition("Progressing", "False", late, nowMs));
  }
  return conditions;
}

function hasMoved(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(deployment: Deployment, current: Condition | undefined, nowMs: number): boolean {
  const seconds = progressDeadlineSeconds(deployment);
  if (seconds === undefined || current === undefined || current.reason === "NewReplicaSetAvailable")
    return false;
  if (current.reason === "ProgressDeadlineExceeded") return true;
  const fromMs = parseTimestamp(current.lastUpdateTime);
  return fromMs !== undefined && fromMs + seconds * 1000 < nowMs;
}

function failureConditions(conditions: Condition[], groups: ReplicaSetGroups, nowMs: number): Condition[] {
  const failures = [groups.newest, ...groups.old].map((each) =>
    findCondition(each?.status?.conditions, "ReplicaFailure"),
  );
  const failure = failures.find((each) => each !== undefined);
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const why: [string, string] = [failure.reason ?? "", failure.message ?? ""];
  return setCondition(conditions, condition("ReplicaFailure", failure.status, why, nowMs));
}

function condition(
  type: string,
  status: ConditionStatus,
  [reason, message]: readonly [reason: string, message: string],
  nowMs: number,
): Condition {
  const time = timestamp(nowMs);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** A condition that says the same as before is not touched, not even its time. */
function setCondition(conditions: readonly Condition[], next: Condition): Condition[] {
  const current = findCondition(conditions, next.type);
  if (current?.status === next.status && current.reason === next.reason) return [...conditions];
  return replaceCondition(conditions, next);
}

function replaceCondition(conditions: readonly Condition[], next: Condition): Condition[] {
  const [placed] = withCondition(
    conditions.filter((each) => each.type === next.type),
    next,
  );
  return [...withoutCondition(conditions, next.type), placed ?? next];
}

/** Counts of zero are left out, as the API does. */
function counts(values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0));
}
