import { resolveIntOrPercent } from "../int-or-percent.ts";
import type { Deployment, ReplicaSet } from "../kinds/workloads.ts";

const noDeadline = 2 ** 31 - 1;

export function replicasOf(object: Deployment | ReplicaSet): number {
  return object.spec.replicas ?? 1;
}

export function isRolling(deployment: Deployment): boolean {
  return (deployment.spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** How many pods there may be above the replicas asked for. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

/** How many of the replicas asked for may be unavailable. */
export function maxUnavailable(deployment: Deployment): number {
  if (!isRolling(deployment)) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicasOf(deployment));
}

/** Seconds without progress until a rollout counts as stuck, if there is such a limit. */
export function progressDeadlineSeconds(deployment: Deployment): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds ?? 600;
  return seconds >= noDeadline ? undefined : seconds;
}

/** Surge rounds up and unavailability down; where both come to nothing, one pod may be missing, or nothing would move. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolveIntOrPercent(maxSurge, replicasOf(deployment), "up");
  const unavailable = resolveIntOrPercent(maxUnavailable, replicasOf(deployment), "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
