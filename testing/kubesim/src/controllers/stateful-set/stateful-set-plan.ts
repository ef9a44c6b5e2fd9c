import { revisionHashLabel } from "../controller-revisions.ts";
import type { Pod } from "../kinds/pod.ts";
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from "../kinds/workloads.ts";
import { availableInMs, isFinished, isReady, isTerminating } from "../pods/pod-state.ts";
import { ordinalOf } from "./ordinal-pod.ts";

/** What to do next. Steps are taken in order; more may follow when they have taken effect. */
export type Step =
  | { readonly action: "create"; readonly ordinal: number; readonly revision: ControllerRevision }
  | { readonly action: "delete"; readonly pod: Pod; readonly because: "scale" | "update" | "finished" };

/** At most this many steps at once; the rest follows when those have been seen. */
const burst = 500;

export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/**
 * The next steps for a set and its pods. With `OrderedReady`, one pod at a time: the lowest number first when growing,
 * the highest first when shrinking or updating, and none before its predecessors work.
 */
export function planSteps(set: StatefulSet, pods: readonly Pod[], revisions: Revisions): Step[] {
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const wanted = set.spec.replicas ?? 1;
  const steps: Step[] = [];
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    const step = pod === undefined ? creation(set, ordinal, revisions) : replacement(pod);
    if (step !== undefined) steps.push(step);
    if (isOrdered && (step !== undefined || pod === undefined || !isHealthy(pod))) return steps;
    if (steps.length >= burst) return steps;
  }
  const condemned = numbered(set, pods).filter(([ordinal]) => ordinal >= wanted);
  const shrinking = planShrink(condemned, isOrdered);
  steps.push(...shrinking);
  if (isOrdered && condemned.length > 0) return steps;
  return [...steps, ...planUpdate(set, pods, revisions.update)];
}

function isHealthy(pod: Pod): boolean {
  return isReady(pod) && !isTerminating(pod) && !isFinished(pod);
}

export function setStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  nowMs: number,
): StatefulSetStatus {
  const { minReadySeconds = 0, replicas = 1 } = set.spec;
  const alive = pods.filter((pod) => !isFinished(pod));
  const count = (test: (pod: Pod) => boolean): number => alive.filter(test).length;
  const ofRevision = (revision: ControllerRevision) => (pod: Pod) =>
    !isTerminating(pod) && pod.metadata.labels?.[revisionHashLabel] === revision.metadata.name;
  const readyReplicas = count(isReady);
  const updatedReplicas = count(ofRevision(revisions.update));
  const isUpdated =
    set.spec.updateStrategy?.type !== "OnDelete" &&
    updatedReplicas === replicas &&
    readyReplicas === replicas &&
    alive.length === replicas;
  const current = isUpdated ? revisions.update : revisions.current;
  const currentReplicas = count(ofRevision(current));
  return {
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    replicas: alive.length,
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    ...(updatedReplicas === 0 ? {} : { updatedReplicas }),
    currentRevision: current.metadata.name,
    updateRevision: revisions.update.metadata.name,
    collisionCount: 0,
    availableReplicas: count((pod) => availableInMs(pod, minReadySeconds, nowMs) === 0),
  };
}

function creation(set: StatefulSet, ordinal: number, revisions: Revisions): Step {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const heldBack =
    rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  const isHeldBack = type !== "OnDelete" && ordinal < heldBack;
  return { action: "create", ordinal, revision: isHeldBack ? revisions.current : revisions.update };
}

/** A pod that is over makes room for its successor. */
function replacement(pod: Pod): Step | undefined {
  return isFinished(pod) && !isTerminating(pod) ? { action: "delete", pod, because: "finished" } : undefined;
}

function planShrink(condemned: readonly (readonly [number, Pod])[], isOrdered: boolean): Step[] {
  const highestFirst = condemned.toSorted(([a], [b]) => b - a).map(([, pod]) => pod);
  const leaving = highestFirst.filter((pod) => !isTerminating(pod));
  const steps = leaving.map((pod): Step => ({ action: "delete", pod, because: "scale" }));
  if (!isOrdered) return steps;
  return leaving.length < highestFirst.length ? [] : steps.slice(0, 1);
}

function planUpdate(set: StatefulSet, pods: readonly Pod[], update: ControllerRevision): Step[] {
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const highestFirst = numbered(set, pods)
    .filter(([ordinal]) => ordinal >= partition && ordinal < (set.spec.replicas ?? 1))
    .toSorted(([a], [b]) => b - a);
  for (const [, pod] of highestFirst) {
    const isOld = pod.metadata.labels?.[revisionHashLabel] !== update.metadata.name;
    if (isOld && !isTerminating(pod)) return [{ action: "delete", pod, because: "update" }];
    if (!isHealthy(pod)) return [];
  }
  return [];
}

function numbered(set: StatefulSet, pods: readonly Pod[]): [number, Pod][] {
  return pods.flatMap((pod): [number, Pod][] => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined ? [] : [[ordinal, pod]];
  });
}
