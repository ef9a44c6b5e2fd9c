import type { Graph, GraphNode } from "../graph/graph.ts";
import { sharedKinds } from "../model/node.ts";
import { isGap, type Asking } from "./asking.ts";

/** The worst first. Nothing is said of what nothing speaks against: the graph has no readiness. */
const troubles = ["Degraded", "Missing", "Unknown", "Progressing", "Suspended"] as const;
export type Trouble = (typeof troubles)[number];

/** By the phases that pods, claims, volumes and namespaces have. */
const phases: ReadonlyMap<unknown, Trouble> = new Map<unknown, Trouble>([
  ["Failed", "Degraded"],
  ["Lost", "Degraded"],
  ["Unknown", "Unknown"],
  ["Pending", "Progressing"],
  ["Terminating", "Progressing"],
]);

/** What speaks against a node, as far as the graph knows it. */
export function troubleOf(asking: Asking, node: GraphNode): Trouble | undefined {
  const { graph } = asking;
  if (!graph.observed(node)) return absence(asking, node);
  const { phase, paused, suspend } = graph.properties(node);
  if (paused === true || suspend === true) return "Suspended";
  return phases.get(phase);
}

/** Not seen is not gone: what nobody looks at is unknown. */
function absence(asking: Asking, node: GraphNode): Trouble | undefined {
  const { graph } = asking;
  const kind = graph.kind(node);
  if (sharedKinds.has(kind)) return undefined;
  return isGap(asking, graph.cluster(node) ?? "", graph.namespace(node), kind) ? "Unknown" : "Missing";
}

const workloadKinds: ReadonlySet<string> = new Set([
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "CronJob",
  "Job",
  "Service",
  "Ingress",
  "Gateway",
]);

/** Where a node comes when not all have room: trouble before workloads, these before the rest. The smaller, the earlier. */
export function rankOf(graph: Graph, node: GraphNode, trouble: Trouble | undefined): number {
  // What waits on purpose is no reason to look.
  if (trouble !== undefined && trouble !== "Suspended") return troubles.indexOf(trouble);
  return workloadKinds.has(graph.kind(node)) ? troubles.length : troubles.length + 1;
}
