import { findCondition } from "../conditions.ts";
import type { Pod } from "../kinds/pod.ts";
import { parseTimestamp } from "../timestamps.ts";

/** Counts towards the replicas of its owner: neither finished nor on its way out. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isReady(pod: Pod): boolean {
  return findCondition(pod.status?.conditions, "Ready")?.status === "True";
}

/** When the pod became ready, if it is. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = findCondition(pod.status?.conditions, "Ready");
  return ready?.status === "True" ? (parseTimestamp(ready.lastTransitionTime) ?? 0) : undefined;
}

/** How long until a ready pod counts as available: 0 when it does, undefined when it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const sinceMs = readySinceMs(pod);
  if (sinceMs === undefined) return undefined;
  return minReadySeconds === 0 ? 0 : Math.max(0, sinceMs + minReadySeconds * 1000 - nowMs);
}

export function restartsOf(pod: Pod): number {
  let restarts = 0;
  for (const status of pod.status?.containerStatuses ?? []) restarts += status.restartCount;
  return restarts;
}

/** How long until the next of some ready pods counts as available, if any is on its way there. */
export function nextAvailabilityMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  let nextMs: number | undefined;
  for (const pod of pods) {
    const inMs = availableInMs(pod, minReadySeconds, nowMs);
    if (inMs !== undefined && inMs > 0) nextMs = Math.min(nextMs ?? inMs, inMs);
  }
  return nextMs;
}
