import { asRecord } from "@bowline/core";

import { clusterPath } from "./places.ts";

/** A kind of monitoring in a cluster, and where it is served. */
export interface MonitoringKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
}

const bowline = { group: "monitoring.bowline.dev", version: "v1alpha1" };
const prometheus = { group: "monitoring.coreos.com", version: "v1" };

export const metricsAgents: MonitoringKind = { ...bowline, kind: "MetricsAgent", resource: "metricsagents" };
export const metricsInstances: MonitoringKind = {
  ...bowline,
  kind: "MetricsInstance",
  resource: "metricsinstances",
};
/** What says what is scraped. */
export const monitorKinds: readonly MonitoringKind[] = [
  { ...prometheus, kind: "ServiceMonitor", resource: "servicemonitors" },
  { ...prometheus, kind: "PodMonitor", resource: "podmonitors" },
  { ...prometheus, kind: "Probe", resource: "probes" },
  { ...prometheus, version: "v1alpha1", kind: "ScrapeConfig", resource: "scrapeconfigs" },
];

export function monitoringPath(cluster: string, { group, version, resource }: MonitoringKind): string {
  return clusterPath(cluster, `/apis/${group}/${version}/${resource}?limit=500`);
}

export interface ConditionLine {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Something that is left out or finds nothing, and what can be done. */
export interface MonitorProblem {
  /** Kind, namespace and name: `ServiceMonitor shop/web`. */
  readonly object: string;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

/** An agent, an instance or a monitor, as its status tells how it does. */
export interface MonitoringObject {
  readonly kind: MonitoringKind;
  readonly namespace: string;
  readonly name: string;
  readonly conditions: readonly ConditionLine[];
  /** Undefined where nobody has counted. */
  readonly selected: number | undefined;
  readonly rejectedCount: number | undefined;
  readonly scrapeJobs: number | undefined;
  readonly expectedTargets: number | undefined;
  readonly readyReplicas: number | undefined;
  readonly replicas: number | undefined;
  readonly instances: readonly string[];
  readonly rejected: readonly MonitorProblem[];
  readonly withoutTargets: readonly MonitorProblem[];
}

export interface MonitoringList {
  readonly objects: readonly MonitoringObject[];
  /** Whether the cluster has more than were read. */
  readonly isCut: boolean;
}

/** A list of a cluster, of which nothing is believed but what has the right type. */
export function readMonitoring(kind: MonitoringKind, list: unknown): MonitoringList {
  const { items, metadata } = asRecord(list);
  const next = asRecord(metadata)["continue"];
  return {
    objects: recordsIn(items).map((item) => readObject(kind, item)),
    isCut: typeof next === "string" && next !== "",
  };
}

function readObject(kind: MonitoringKind, item: Readonly<Record<string, unknown>>): MonitoringObject {
  const { name, namespace } = asRecord(item["metadata"]);
  const status = asRecord(item["status"]);
  const counts = asRecord(status["monitors"]);
  return {
    kind,
    namespace: textOf(namespace),
    name: textOf(name),
    conditions: recordsIn(status["conditions"]).map((condition) => ({
      type: textOf(condition["type"]),
      status: textOf(condition["status"]),
      reason: textOf(condition["reason"]),
      message: textOf(condition["message"]),
    })),
    selected: countOf(counts["selected"]),
    rejectedCount: countOf(counts["rejected"]),
    scrapeJobs: countOf(counts["scrapeJobs"]),
    expectedTargets: countOf(status["expectedTargets"]),
    readyReplicas: countOf(status["readyReplicas"]),
    replicas: countOf(status["replicas"]),
    instances: recordsIn(status["instances"]).map((instance) => textOf(instance["name"])),
    rejected: recordsIn(status["rejected"]).map(problemOf),
    withoutTargets: recordsIn(status["withoutTargets"]).map(problemOf),
  };
}

function problemOf(problem: Readonly<Record<string, unknown>>): MonitorProblem {
  return {
    object: textOf(problem["object"]),
    path: textOf(problem["path"]),
    message: textOf(problem["message"]),
    fix: textOf(problem["fix"]),
  };
}

/** What a monitor became, as far as agents and instances tell. */
export interface MonitorVerdict {
  readonly state: "rejected" | "withoutTargets" | "unread" | "used";
  readonly problem: MonitorProblem | undefined;
}

/**
 * What became of a monitor. Statuses name those that are left out and those that find nothing, not those that all is
 * well with: of a monitor that none of them names, no more can be said than that.
 */
export function monitorVerdict(
  monitor: Pick<MonitoringObject, "kind" | "namespace" | "name">,
  holders: readonly Pick<MonitoringObject, "rejected" | "withoutTargets">[],
): MonitorVerdict {
  const ref = `${monitor.kind.kind} ${monitor.namespace}/${monitor.name}`;
  for (const { rejected } of holders) {
    const problem = rejected.find(({ object }) => object === ref);
    if (problem !== undefined) return { state: "rejected", problem };
  }
  for (const { withoutTargets } of holders) {
    const problem = withoutTargets.find(({ object }) => object === ref);
    if (problem !== undefined) return { state: "withoutTargets", problem };
  }
  return { state: holders.length === 0 ? "unread" : "used", problem: undefined };
}

function recordsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
