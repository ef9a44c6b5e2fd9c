import { asRecord, parseQuantity } from "@bowline/core";

import { clusterPath } from "./places.ts";

/** What a node or a pod uses at the moment, as `metrics.k8s.io` tells it. */
export interface Usage {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly cpuCores: number | undefined;
  readonly memoryBytes: number | undefined;
  /** What there is of it, for a node. */
  readonly cpuCapacity?: number;
  readonly memoryCapacity?: number;
}

export function usagePath(cluster: string, resource: "nodes" | "pods"): string {
  return clusterPath(cluster, `/apis/metrics.k8s.io/v1beta1/${resource}`);
}

/** Usage of nodes, with what each can give to pods, from the list of nodes if it may be read. */
export function readNodeUsage(metrics: unknown, nodes: unknown): Usage[] {
  const capacities = new Map(
    itemsOf(nodes).map((node) => {
      const { allocatable } = asRecord(node["status"]);
      return [textOf(asRecord(node["metadata"])["name"]), asRecord(allocatable)];
    }),
  );
  return itemsOf(metrics).map((item) => {
    const { name } = asRecord(item["metadata"]);
    const usage = asRecord(item["usage"]);
    const cpuCapacity = parseQuantity(capacities.get(textOf(name))?.["cpu"]);
    const memoryCapacity = parseQuantity(capacities.get(textOf(name))?.["memory"]);
    return {
      ...usageOf(item, [usage]),
      ...(cpuCapacity === undefined ? {} : { cpuCapacity }),
      ...(memoryCapacity === undefined ? {} : { memoryCapacity }),
    };
  });
}

/** Usage of pods: all their containers together. */
export function readPodUsage(metrics: unknown): Usage[] {
  return itemsOf(metrics).map((item) => {
    const containers = Array.isArray(item["containers"]) ? item["containers"] : [];
    return usageOf(
      item,
      containers.map((container: unknown) => asRecord(asRecord(container)["usage"])),
    );
  });
}

function usageOf(
  item: Readonly<Record<string, unknown>>,
  parts: readonly Readonly<Record<string, unknown>>[],
): Usage {
  const { name, namespace } = asRecord(item["metadata"]);
  const sum = (field: string): number | undefined => {
    const numbers = parts.map((part) => parseQuantity(part[field])).filter((number) => number !== undefined);
    return numbers.length === 0 ? undefined : numbers.reduce((a, b) => a + b, 0);
  };
  return {
    key: `${textOf(namespace)}/${textOf(name)}`,
    namespace: textOf(namespace),
    name: textOf(name),
    cpuCores: sum("cpu"),
    memoryBytes: sum("memory"),
  };
}

function itemsOf(list: unknown): Readonly<Record<string, unknown>>[] {
  const { items } = asRecord(list);
  return Array.isArray(items) ? items.map(asRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `250m`, `1.25`: as Kubernetes writes them, in as few digits as tell something. */
export function formatCores(cores: number | undefined): string {
  if (cores === undefined) return "–";
  return cores < 1 ? `${Math.round(cores * 1_000)}m` : cores.toFixed(2);
}

/** A part of a whole in percent; a dash where the whole is not known. */
export function formatShare(part: number | undefined, whole: number | undefined): string {
  return part === undefined || whole === undefined || whole <= 0
    ? "–"
    : `${Math.round((part / whole) * 100)} %`;
}
