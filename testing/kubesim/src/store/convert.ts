import { isRecord } from "@bowline/core";

import { readNumber, readPath, readRecord, readRecords, readString, type JsonRecord } from "./json-value.ts";
import { apiVersionOf, type ResourceType } from "./resource-type.ts";
import type { SimObject } from "./sim-api.ts";

/** The object in another version its type is served in. Most versions differ in their name alone. */
export function toVersion(type: ResourceType, object: SimObject, apiVersion: string): SimObject {
  if (object.apiVersion === apiVersion) return object;
  if (apiVersion === "events.k8s.io/v1") return eventToNew(object);
  if (type.kind === "HorizontalPodAutoscaler" && apiVersion === "autoscaling/v1") return scalerToV1(object);
  return { ...object, apiVersion };
}

/** The object as the store keeps it. */
export function toStorage(type: ResourceType, object: SimObject): SimObject {
  const apiVersion = apiVersionOf(type);
  if (object.apiVersion === apiVersion) return object;
  if (object.apiVersion === "events.k8s.io/v1") return { ...eventFromNew(object), apiVersion };
  if (type.kind === "HorizontalPodAutoscaler" && object.apiVersion === "autoscaling/v1") {
    return { ...scalerFromV1(object), apiVersion };
  }
  return { ...object, apiVersion };
}

/** Fields of the core event and their names in events.k8s.io/v1, in pairs. */
const eventFields = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
] as const;

function eventToNew(object: SimObject): SimObject {
  return { ...renamed(object, eventFields), apiVersion: "events.k8s.io/v1" };
}

function eventFromNew(object: SimObject): SimObject {
  return renamed(
    object,
    eventFields.map(([core, events]) => [events, core]),
  );
}

function renamed(object: SimObject, pairs: readonly (readonly [string, string])[]): SimObject {
  const names = new Map(pairs);
  const { apiVersion, kind, metadata, ...rest } = object;
  const fields = Object.entries(rest).map(([field, value]) => [names.get(field) ?? field, value]);
  return { apiVersion, kind, metadata, ...Object.fromEntries(fields) };
}

const v1Annotation = "autoscaling.alpha.kubernetes.io/metrics";

/** Version 1 knows the CPU target alone; other metrics travel in an annotation. */
function scalerToV1(object: SimObject): SimObject {
  const metrics = readRecords(object, "spec.metrics");
  const cpu = metrics.find((metric) => isCpuUtilization(metric));
  const others = metrics.filter((metric) => metric !== cpu);
  const target = cpu && readNumber(cpu, "resource.target.averageUtilization");
  const { metrics: _metrics, ...spec } = readRecord(object, "spec") ?? {};
  const { currentMetrics, conditions: _conditions, ...status } = readRecord(object, "status") ?? {};
  const currentCpu = Array.isArray(currentMetrics)
    ? currentMetrics.find((metric: unknown) => readPath(metric, "resource.name") === "cpu")
    : undefined;
  const usage = readNumber(currentCpu, "resource.current.averageUtilization");
  return {
    ...object,
    apiVersion: "autoscaling/v1",
    metadata: {
      ...object.metadata,
      ...(others.length > 0
        ? { annotations: { ...object.metadata.annotations, [v1Annotation]: JSON.stringify(others) } }
        : {}),
    },
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(usage === undefined ? {} : { currentCPUUtilizationPercentage: usage }),
    },
  };
}

function scalerFromV1(object: SimObject): SimObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = readRecord(object, "spec") ?? {};
  const { [v1Annotation]: others, ...annotations } = object.metadata.annotations ?? {};
  const cpu =
    target === undefined
      ? []
      : [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } },
          },
        ];
  const { currentCPUUtilizationPercentage: usage, ...status } = readRecord(object, "status") ?? {};
  return {
    ...object,
    metadata: { ...object.metadata, ...(others === undefined ? {} : { annotations }) },
    spec: { ...spec, metrics: [...cpu, ...parseMetrics(others)] },
    ...(object["status"] === undefined ? {} : { status: { ...status, currentMetrics: currentCpu(usage) } }),
  };
}

function currentCpu(usage: unknown): unknown {
  if (typeof usage !== "number") return null;
  return [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: usage } } }];
}

function parseMetrics(text: string | undefined): JsonRecord[] {
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((metric) => isRecord(metric)) : [];
  } catch {
    // An annotation that somebody spoilt by hand carries no metrics.
    return [];
  }
}

function isCpuUtilization(metric: JsonRecord): boolean {
  return (
    readString(metric, "resource.name") === "cpu" &&
    readPath(metric, "resource.target.averageUtilization") !== undefined
  );
}
