import { isRecord } from "@bowline/core";

import { readNumber, readPath, readRecord, readRecords, readString } from "../../store/json-value.ts";
import { parseApiVersion } from "../../store/resource-type.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { labelSelectorText } from "../label-selector.ts";
import { age, humanDuration } from "./human-duration.ts";
import { ageColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";

const podSpecPath = "spec.template.spec";
const jobPodSpecPath = `spec.jobTemplate.${podSpecPath}`;

const containers: ColumnSpec = [
  "*Containers",
  "string",
  (object) => containerField(object, "name", podSpecPath),
];
const images: ColumnSpec = ["*Images", "string", (object) => containerField(object, "image", podSpecPath)];
const selector: ColumnSpec = [
  "*Selector",
  "string",
  (object) => selectorText(readPath(object, "spec.selector")),
];

export const deploymentColumns: readonly ColumnSpec[] = [
  nameColumn,
  [
    "Ready",
    "string",
    (object) => `${count(object, "status.readyReplicas")}/${count(object, "spec.replicas")}`,
  ],
  textCounter("Up-to-date", "status.updatedReplicas"),
  textCounter("Available", "status.availableReplicas"),
  ageColumn,
  containers,
  images,
  selector,
];

export const replicaSetColumns: readonly ColumnSpec[] = [
  nameColumn,
  counter("Desired", "spec.replicas"),
  counter("Current", "status.replicas"),
  counter("Ready", "status.readyReplicas"),
  ageColumn,
  containers,
  images,
  selector,
];

export const statefulSetColumns: readonly ColumnSpec[] = [
  nameColumn,
  [
    "Ready",
    "string",
    (object) => `${count(object, "status.readyReplicas")}/${count(object, "spec.replicas")}`,
  ],
  ageColumn,
  containers,
  images,
];

export const daemonSetColumns: readonly ColumnSpec[] = [
  nameColumn,
  counter("Desired", "status.desiredNumberScheduled"),
  counter("Current", "status.currentNumberScheduled"),
  counter("Ready", "status.numberReady"),
  counter("Up-to-date", "status.updatedNumberScheduled"),
  counter("Available", "status.numberAvailable"),
  ["Node Selector", "string", (object) => pairs(readRecord(object, `${podSpecPath}.nodeSelector`))],
  ageColumn,
  containers,
  images,
  selector,
];

export const jobColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Status", "string", (object) => jobStatus(object), { from: 31 }],
  ["Completions", "string", (object) => completions(object)],
  ["Duration", "string", (object, nowMs) => jobDuration(object, nowMs)],
  ageColumn,
  containers,
  images,
  selector,
];

export const cronJobColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Schedule", "string", (object) => readString(object, "spec.schedule") ?? ""],
  ["Timezone", "string", (object) => readString(object, "spec.timeZone") ?? "<none>", { from: 29 }],
  ["Suspend", "boolean", (object) => (readPath(object, "spec.suspend") === true ? "True" : "False")],
  ["Active", "integer", (object) => readRecords(object, "status.active").length],
  [
    "Last Schedule",
    "string",
    (object, nowMs) => {
      const last = readString(object, "status.lastScheduleTime");
      return last === undefined ? "<none>" : age(last, nowMs);
    },
  ],
  ageColumn,
  ["*Containers", "string", (object) => containerField(object, "name", jobPodSpecPath)],
  ["*Images", "string", (object) => containerField(object, "image", jobPodSpecPath)],
  ["*Selector", "string", (object) => selectorText(readPath(object, "spec.jobTemplate.spec.selector"))],
];

export const revisionColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Controller", "string", (object) => controllerName(object)],
  ["Revision", "string", (object) => count(object, "revision")],
  ageColumn,
];

export const autoscalerColumns: readonly ColumnSpec[] = [
  nameColumn,
  [
    "Reference",
    "string",
    (object) =>
      `${readString(object, "spec.scaleTargetRef.kind")}/${readString(object, "spec.scaleTargetRef.name")}`,
  ],
  ["Targets", "string", (object) => autoscalerTargets(object, () => ""), { before: 30 }],
  ["Targets", "string", (object) => autoscalerTargets(object, (name) => `${name}: `), { from: 30 }],
  ["MinPods", "string", (object) => String(readNumber(object, "spec.minReplicas") ?? "<unset>")],
  textCounter("MaxPods", "spec.maxReplicas"),
  textCounter("Replicas", "status.currentReplicas"),
  ageColumn,
];

function counter(name: string, path: string): ColumnSpec {
  return [name, "integer", (object) => count(object, path)];
}

/** A number in a column that the server declares as text. */
function textCounter(name: string, path: string): ColumnSpec {
  return [name, "string", (object) => count(object, path)];
}

function count(object: SimObject, path: string): number {
  return readNumber(object, path) ?? 0;
}

function containerField(object: SimObject, field: string, specPath: string): string {
  return readRecords(object, `${specPath}.containers`)
    .map((container) => String(container[field]))
    .join(",");
}

/** The owner as `statefulset.apps/web`. */
function controllerName({ metadata }: SimObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const { group } = parseApiVersion(owner.apiVersion);
  return `${owner.kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${owner.name}`;
}

function selectorText(found: unknown): string {
  if (!isRecord(found)) return "<none>";
  const structured = "matchLabels" in found || "matchExpressions" in found ? found : { matchLabels: found };
  return labelSelectorText(structured) || "<none>";
}

export function pairs(labels: Readonly<Record<string, unknown>> | undefined): string {
  const shown = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return shown.length > 0 ? shown.sort().join(",") : "<none>";
}

function jobStatus(job: SimObject): string {
  const isTrue = (type: string): boolean =>
    readRecords(job, "status.conditions").some((each) => each["type"] === type && each["status"] === "True");
  if (isTrue("Complete")) return "Complete";
  if (isTrue("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return isTrue("Suspended") ? "Suspended" : "Running";
}

function completions(job: SimObject): string {
  const succeeded = count(job, "status.succeeded");
  const wanted = readNumber(job, "spec.completions");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = readNumber(job, "spec.parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: SimObject, nowMs: number): string {
  const start = readString(job, "status.startTime");
  if (start === undefined) return "";
  const end = readString(job, "status.completionTime");
  return humanDuration((end === undefined ? nowMs : Date.parse(end)) - Date.parse(start));
}

function autoscalerTargets(object: SimObject, prefix: (metric: string) => string): string {
  if (object.apiVersion === "autoscaling/v1") {
    const usage = readNumber(object, "status.currentCPUUtilizationPercentage");
    return usageText(usage, readNumber(object, "spec.targetCPUUtilizationPercentage"));
  }
  const metrics = readRecords(object, "spec.metrics").map((metric) => {
    const target = readNumber(metric, "resource.target.averageUtilization");
    const name = readString(metric, "resource.name") ?? String(metric["type"]);
    const current = readRecords(object, "status.currentMetrics").find(
      (each) => readPath(each, "resource.name") === name,
    );
    const usage = readNumber(current, "resource.current.averageUtilization");
    return `${prefix(name)}${usageText(usage, target)}`;
  });
  return metrics.length > 0 ? metrics.join(", ") : "<none>";
}

function usageText(usage: number | undefined, target: number | undefined): string {
  const percent = (value: number | undefined): string => (value === undefined ? "<unknown>" : `${value}%`);
  return `${percent(usage)}/${percent(target)}`;
}
