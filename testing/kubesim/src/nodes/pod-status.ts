import { findCondition } from "../controllers/conditions.ts";
import type { Condition, ConditionStatus } from "../controllers/kinds/meta.ts";
import type { ContainerStatus, Pod, PodPhase, PodStatus, RestartPolicy } from "../controllers/kinds/pod.ts";
import { timestamp } from "../controllers/timestamps.ts";

export interface PodFacts {
  readonly hostIp: string;
  /** Absent until the pod's network is there. */
  readonly podIp?: string;
  readonly startedMs: number;
  readonly inits: readonly ContainerStatus[];
  readonly apps: readonly ContainerStatus[];
}

/** What the kubelet reports of a pod. Conditions that others set, the scheduler's first of all, stay. */
export function podStatus(pod: Pod, facts: PodFacts, nowMs: number): PodStatus {
  const { inits, apps, podIp, hostIp } = facts;
  const phase = podPhase(pod.spec.restartPolicy ?? "Always", inits, apps);
  const isStarting = podIp === undefined;
  return {
    phase,
    conditions: podConditions(pod, phase, facts, nowMs),
    hostIP: hostIp,
    ...(isStarting ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: pod.status?.startTime ?? timestamp(facts.startedMs),
    ...(inits.length === 0 ? {} : { initContainerStatuses: [...inits] }),
    containerStatuses: apps.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...(pod.status?.qosClass === undefined ? {} : { qosClass: pod.status.qosClass }),
  };
}

function podPhase(
  policy: RestartPolicy,
  inits: readonly ContainerStatus[],
  apps: readonly ContainerStatus[],
): PodPhase {
  if (policy === "Never" && inits.some(hasFailed)) return "Failed";
  if (!inits.every((init) => init.state.terminated?.exitCode === 0)) return "Pending";
  if (apps.some((app) => app.state.waiting !== undefined && app.lastState.terminated === undefined)) {
    return "Pending";
  }
  if (apps.some((app) => app.state.running !== undefined) || policy === "Always") return "Running";
  const ends = apps.map((app) => app.state.terminated ?? app.lastState.terminated);
  if (ends.every((end) => end?.exitCode === 0)) return "Succeeded";
  return policy === "Never" ? "Failed" : "Running";
}

function hasFailed(status: ContainerStatus): boolean {
  return status.state.terminated !== undefined && status.state.terminated.exitCode !== 0;
}

/** In the order the kubelet writes them. */
function podConditions(pod: Pod, phase: PodPhase, { inits, apps }: PodFacts, nowMs: number): Condition[] {
  const incomplete = inits.filter((init) => !init.ready).map(({ name }) => name);
  const unready = apps.filter((app) => !app.ready).map(({ name }) => name);
  const isOver = phase === "Succeeded" || phase === "Failed";
  const initialized: Verdict =
    incomplete.length === 0
      ? { status: "True", ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) }
      : no("ContainersNotInitialized", `containers with incomplete status: [${incomplete.join(" ")}]`);
  const notReady =
    phase === "Succeeded"
      ? no("PodCompleted")
      : no(
          isOver ? "PodFailed" : "ContainersNotReady",
          isOver ? undefined : `containers with unready status: [${unready.join(" ")}]`,
        );
  const ready: Verdict = unready.length === 0 && !isOver ? { status: "True" } : notReady;
  const own = [
    condition(pod, "Initialized", initialized, nowMs),
    condition(pod, "Ready", ready, nowMs),
    condition(pod, "ContainersReady", ready, nowMs),
  ];
  const scheduled = condition(pod, "PodScheduled", { status: "True" }, nowMs);
  const ownTypes = new Set(["Initialized", "Ready", "ContainersReady", "PodScheduled"]);
  const others = (pod.status?.conditions ?? []).filter(({ type }) => !ownTypes.has(type));
  return [...own, scheduled, ...others];
}

interface Verdict {
  readonly status: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
}

function no(reason: string, message?: string): Verdict {
  return { status: "False", reason, ...(message === undefined ? {} : { message }) };
}

function condition(pod: Pod, type: string, verdict: Verdict, nowMs: number): Condition {
  const before = findCondition(pod.status?.conditions, type);
  const { status, ...why } = verdict;
  const time = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: time ?? timestamp(nowMs),
    ...why,
  };
}
