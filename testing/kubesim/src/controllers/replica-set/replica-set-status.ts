import { findCondition, withCondition, withoutCondition } from "../conditions.ts";
import type { Pod } from "../kinds/pod.ts";
import type { ReplicaSet, ReplicaSetStatus } from "../kinds/workloads.ts";
import { hasLabels } from "../label-selector.ts";
import { availableInMs, isReady } from "../pods/pod-state.ts";
import { timestamp } from "../timestamps.ts";

/** What a ReplicaSet says of its active pods. Counts of zero are left out, as the API does. */
export function replicaSetStatus(
  replicaSet: ReplicaSet,
  pods: readonly Pod[],
  failure: string | undefined,
  nowMs: number,
): ReplicaSetStatus {
  const { template, minReadySeconds = 0 } = replicaSet.spec;
  const labelled = pods.filter((pod) => hasLabels(template.metadata?.labels, pod.metadata.labels)).length;
  const ready = pods.filter(isReady).length;
  const available = pods.filter((pod) => availableInMs(pod, minReadySeconds, nowMs) === 0).length;
  const conditions = failureConditions(replicaSet, failure, nowMs);
  return {
    replicas: pods.length,
    ...(labelled === 0 ? {} : { fullyLabeledReplicas: labelled }),
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    ...(available === 0 ? {} : { availableReplicas: available }),
    ...(replicaSet.metadata.generation === undefined
      ? {}
      : { observedGeneration: replicaSet.metadata.generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function failureConditions(
  replicaSet: ReplicaSet,
  failure: string | undefined,
  nowMs: number,
): NonNullable<ReplicaSetStatus["conditions"]> {
  const conditions = replicaSet.status?.conditions ?? [];
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  if (findCondition(conditions, "ReplicaFailure") !== undefined) return conditions;
  return withCondition(conditions, {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: timestamp(nowMs),
    reason: "FailedCreate",
    message: failure,
  });
}
