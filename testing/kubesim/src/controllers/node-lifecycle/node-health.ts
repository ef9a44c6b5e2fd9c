import { findCondition } from "../conditions.ts";
import type { Condition } from "../kinds/meta.ts";
import type { Lease, Node, Taint } from "../kinds/node.ts";
import { parseTimestamp, timestamp } from "../timestamps.ts";

const notReadyKey = "node.kubernetes.io/not-ready";
const unreachableKey = "node.kubernetes.io/unreachable";
const unschedulableKey = "node.kubernetes.io/unschedulable";
const managedKeys = new Set([notReadyKey, unreachableKey, unschedulableKey]);
const watchedConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The last time a node gave a sign of life. */
export function lastSeenMs(node: Node, lease: Lease | undefined): number {
  const heartbeat = findCondition(node.status?.conditions, "Ready");
  return Math.max(
    parseTimestamp(lease?.spec?.renewTime) ?? 0,
    heartbeat?.status === "Unknown" ? 0 : (parseTimestamp(heartbeat?.lastHeartbeatTime) ?? 0),
    parseTimestamp(node.metadata.creationTimestamp) ?? 0,
  );
}

/** What the node controller writes about a node that fell silent. */
export function silentConditions(node: Node, nowMs: number): Condition[] {
  const conditions = node.status?.conditions ?? [];
  const time = timestamp(nowMs);
  const known = new Set(conditions.map(({ type }) => type));
  const silent = conditions.map((condition): Condition => {
    if (!watchedConditions.includes(condition.type) || condition.status === "Unknown") return condition;
    return {
      ...condition,
      status: "Unknown",
      lastTransitionTime: time,
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    };
  });
  const never = watchedConditions
    .filter((type) => !known.has(type))
    .map((type): Condition => ({
      type,
      status: "Unknown",
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: time,
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
    }));
  return [...silent, ...never];
}

/** The taints a node should have by its state; taints of others stay as they are. */
export function wantedTaints(node: Node, nowMs: number): Taint[] {
  const current = node.spec?.taints ?? [];
  const wanted = [...healthTaints(node), ...cordonTaints(node)];
  const kept = (taint: Taint): Taint | undefined =>
    current.find((each) => each.key === taint.key && each.effect === taint.effect);
  return [
    ...current.filter((taint) => !managedKeys.has(taint.key)),
    ...wanted.map((taint) => kept(taint) ?? { ...taint, timeAdded: timestamp(nowMs) }),
  ];
}

function healthTaints(node: Node): Taint[] {
  const status = findCondition(node.status?.conditions, "Ready")?.status;
  if (status === undefined || status === "True") return [];
  const key = status === "False" ? notReadyKey : unreachableKey;
  return [
    { key, effect: "NoSchedule" },
    { key, effect: "NoExecute" },
  ];
}

function cordonTaints(node: Node): Taint[] {
  return node.spec?.unschedulable === true ? [{ key: unschedulableKey, effect: "NoSchedule" }] : [];
}
