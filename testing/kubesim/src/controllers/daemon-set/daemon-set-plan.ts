import { revisionHashLabel } from "../controller-revisions.ts";
import { resolveIntOrPercent } from "../int-or-percent.ts";
import type { Node } from "../kinds/node.ts";
import type { Pod } from "../kinds/pod.ts";
import type { DaemonSet, DaemonSetStatus } from "../kinds/workloads.ts";
import { availableInMs, isActive, isReady, isTerminating } from "../pods/pod-state.ts";
import { templateHash } from "../pods/pod-template.ts";
import { daemonFits, daemonNode } from "./daemon-pod.ts";

/** One node and the pods a DaemonSet has there. */
export interface DaemonPlace {
  readonly name: string;
  readonly runs: boolean;
  readonly stays: boolean;
  readonly pods: readonly Pod[];
}

export function daemonPlaces(set: DaemonSet, nodes: Iterable<Node>, pods: readonly Pod[]): DaemonPlace[] {
  const byNode = Map.groupBy(pods, (pod) => daemonNode(pod) ?? "");
  const places: DaemonPlace[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    places.push({ name, ...daemonFits(set, node), pods: byNode.get(name) ?? [] });
  }
  return places;
}

/** Nodes that lack their pod. One whose pod is still leaving has to wait. */
export function placesToFill(places: readonly DaemonPlace[]): string[] {
  return places.filter(({ runs, pods }) => runs && pods.length === 0).map(({ name }) => name);
}

/** Pods that are over, where they may not be, or one too many. The oldest stays. */
export function podsToRemove(places: readonly DaemonPlace[]): Pod[] {
  return places.flatMap(({ stays, pods }) => {
    const here = pods.filter((pod) => !isTerminating(pod));
    if (!stays) return here;
    const ended = here.filter((pod) => !isActive(pod));
    const alive = here
      .filter(isActive)
      .toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
    return [...ended, ...alive.slice(1)];
  });
}

/** Old pods that may go now: those that do not work at once, the others as far as `maxUnavailable` allows. */
export function podsToUpdate(set: DaemonSet, places: readonly DaemonPlace[], nowMs: number): Pod[] {
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  const wanted = places.filter(({ runs }) => runs);
  const allowed = resolveIntOrPercent(
    set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1,
    wanted.length,
    "up",
  );
  const isAvailable = (pod: Pod): boolean =>
    !isTerminating(pod) && availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;
  const missing = wanted.filter(({ pods }) => !pods.some(isAvailable)).length;
  const old = wanted.flatMap(({ pods }) =>
    pods.filter((pod) => !isUpToDate(set, pod) && !isTerminating(pod)),
  );
  const broken = old.filter((pod) => !isAvailable(pod));
  const working = old.filter(isAvailable);
  return [...broken, ...working.slice(0, Math.max(0, allowed - missing))];
}

export function daemonStatus(set: DaemonSet, places: readonly DaemonPlace[], nowMs: number): DaemonSetStatus {
  const { minReadySeconds = 0 } = set.spec;
  const wanted = places.filter(({ runs }) => runs);
  const count = (test: (pod: Pod) => boolean): number =>
    wanted.filter(({ pods }) => pods.some((pod) => isActive(pod) && test(pod))).length;
  const available = count((pod) => availableInMs(pod, minReadySeconds, nowMs) === 0);
  const updated = count((pod) => isUpToDate(set, pod));
  const unavailable = wanted.length - available;
  return {
    currentNumberScheduled: count(() => true),
    numberMisscheduled: places.filter(({ runs, pods }) => !runs && pods.some(isActive)).length,
    desiredNumberScheduled: wanted.length,
    numberReady: count(isReady),
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
    ...(available === 0 ? {} : { numberAvailable: available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
  };
}

function isUpToDate(set: DaemonSet, pod: Pod): boolean {
  return pod.metadata.labels?.[revisionHashLabel] === templateHash(set.spec.template);
}
