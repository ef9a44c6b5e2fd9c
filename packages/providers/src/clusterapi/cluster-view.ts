import { asRecord, shortened } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

/** What a Cluster of Cluster API says of itself, in the words of no version. */
export interface ClusterView {
  /** Cluster API has looked at it as it is written now. */
  readonly isObserved: boolean;
  readonly isPaused: boolean;
  readonly hasInfrastructure: boolean;
  readonly hasControlPlane: boolean;
  /** It works, as far as this version of Cluster API tells. */
  readonly isAvailable: boolean;
  /** Machines come, go or are replaced, so that it becomes what is written. */
  readonly isChanging: boolean;
  /** Machines that are not well; true where nothing is said of them. */
  readonly areMachinesReady: boolean;
  /** It has given up, or its class has; a person has to change something. */
  readonly failure?: string;
  /** What it waits for, by the condition that says so. */
  readonly said: Readonly<Record<Topic, string>>;
}

type Topic = "infrastructure" | "controlPlane" | "machines" | "changes" | "deletion";

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

type Conditions = ReadonlyMap<string, Condition>;

/**
 * Reads a Cluster of either version of the contract. The newer kind of conditions is where the version has them: in the
 * status itself, or in `v1beta2` of an older one. The older kind is read too: from v1beta1, or as what is deprecated.
 */
export function viewOf({ metadata, spec, status: told }: KubeObject): ClusterView {
  const status = asRecord(told);
  const isNewVersion = status["initialization"] !== undefined || status["deprecated"] !== undefined;
  const older = isNewVersion ? asRecord(asRecord(status["deprecated"])["v1beta1"]) : status;
  const own = conditionsOf(status["conditions"]);
  const isNewKind = isNewVersion || own.has("Available");
  const now = isNewKind ? own : conditionsOf(asRecord(status["v1beta2"])["conditions"]);
  const before = isNewKind ? conditionsOf(older["conditions"]) : own;
  const initialization = asRecord(status["initialization"]);
  const holds = (type: string): boolean => isTrue(now, type) || isTrue(before, type);
  const { generation = 0 } = metadata;
  const observed = status["observedGeneration"];
  const failure = failureOf(older, now, before);
  return {
    isObserved: typeof observed === "number" && observed >= generation,
    isPaused: asRecord(spec)["paused"] === true,
    hasInfrastructure:
      initialization["infrastructureProvisioned"] === true ||
      status["infrastructureReady"] === true ||
      holds("InfrastructureReady"),
    hasControlPlane: initialization["controlPlaneInitialized"] === true || holds("ControlPlaneInitialized"),
    isAvailable: now.has("Available") ? isTrue(now, "Available") : isTrue(before, "Ready"),
    isChanging:
      changes.some((type) => isTrue(now, type)) ||
      isFalse(now, "TopologyReconciled") ||
      isFalse(before, "TopologyReconciled"),
    areMachinesReady: !machines.some((type) => isFalse(now, type)),
    ...(failure === undefined ? {} : { failure }),
    said: {
      infrastructure: firstSaid(now, before, ["InfrastructureReady"]),
      controlPlane: firstSaid(now, before, [
        "ControlPlaneInitialized",
        "ControlPlaneAvailable",
        "ControlPlaneReady",
      ]),
      machines: firstSaid(now, before, [...machines, "WorkersAvailable", "Available", "Ready"]),
      changes: firstTrue(now, changes) || firstSaid(now, before, ["TopologyReconciled"]),
      deletion: firstTrue(now, ["Deleting"]),
    },
  };
}

const machines = ["ControlPlaneMachinesReady", "WorkerMachinesReady"];
const changes = ["RollingOut", "ScalingUp", "ScalingDown"];

function failureOf(
  older: Readonly<Record<string, unknown>>,
  now: Conditions,
  before: Conditions,
): string | undefined {
  const { failureReason, failureMessage } = older;
  const failed = [failureReason, failureMessage].filter((text) => typeof text === "string" && text !== "");
  if (failed.length > 0) return oneLine(failed.join(": "));
  const [topology] = [now, before].map((conditions) => conditions.get("TopologyReconciled"));
  const isFailed = topology?.status === "False" && topology.reason.endsWith("ReconcileFailed");
  return isFailed ? oneLine(`The topology could not be made: ${topology.message}`) : undefined;
}

function conditionsOf(value: unknown): Conditions {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(
    list.map(asRecord).flatMap(({ type, status, reason, message }): [string, Condition][] => {
      if (typeof type !== "string" || typeof status !== "string") return [];
      return [[type, { status, reason: textOf(reason), message: textOf(message) }]];
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isTrue(conditions: Conditions, type: string): boolean {
  return conditions.get(type)?.status === "True";
}

function isFalse(conditions: Conditions, type: string): boolean {
  return conditions.get(type)?.status === "False";
}

/** The first of these conditions that does not hold, in its words; empty when all do. */
function firstSaid(now: Conditions, before: Conditions, types: readonly string[]): string {
  for (const type of types) {
    const condition = now.get(type) ?? before.get(type);
    if (condition !== undefined && condition.status !== "True") return wordsOf(condition);
  }
  return "";
}

function firstTrue(conditions: Conditions, types: readonly string[]): string {
  const condition = types.map((type) => conditions.get(type)).find((each) => each?.status === "True");
  return condition === undefined ? "" : wordsOf(condition);
}

function wordsOf({ reason, message }: Condition): string {
  return oneLine(message === "" ? reason : message);
}

const longest = 1_000;

/** Messages of Cluster API are lists over several lines, one for each machine. */
function oneLine(text: string): string {
  return shortened(text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), longest);
}
