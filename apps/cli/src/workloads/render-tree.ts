import { formatAge, type ClusterTree, type TreeResource, type WorkloadTree } from "@bowline/api";

import type { Paint } from "../command/terminal.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";

interface RenderOptions {
  readonly nowMs: number;
  readonly paint: Paint;
}

interface TreeNode {
  readonly label: string;
  readonly health: string;
  readonly reason: string;
  readonly message: string;
  /** Worth telling also of what is well. */
  readonly notes: readonly string[];
  readonly children: readonly TreeNode[];
}

const columns = ["NAME", "HEALTH", "REASON", "MESSAGE"];
const healthColumn = columns.indexOf("HEALTH");

/** An instance, its clusters, and the resources in each with all that they own. */
export function renderTree(tree: WorkloadTree, options: RenderOptions): string {
  const table = new TableWriter(columns, {
    style: (cell, column) => (column === healthColumn ? paintHealth(options.paint, cell) : cell),
  });
  const root: TreeNode = {
    label: `workloadinstance/${tree.instance}`,
    health: "",
    reason: "",
    message: "",
    notes: leftOff(tree.clusterCount - tree.clusters.length, "cluster"),
    children: tree.clusters.map((cluster) => clusterNode(cluster, options.nowMs)),
  };
  return table.rows([rowOf(root, ""), ...rowsBelow(root, "")]);
}

function clusterNode(cluster: ClusterTree, nowMs: number): TreeNode {
  const { resources, resourceCount, observedAt } = cluster;
  const seen = observedAt === undefined ? [] : [`seen ${formatAge(nowMs - Date.parse(observedAt))} ago`];
  return {
    label: cluster.cluster,
    health: cluster.health,
    reason: cluster.healthReason,
    message: cluster.healthMessage,
    notes: [...seen, ...leftOff(resourceCount - resources.length, "resource")],
    children: nodesOf(resources, 0).nodes,
  };
}

function leftOff(count: number, what: string): string[] {
  return count > 0 ? [`${count} more ${what}${count === 1 ? " is" : "s are"} not shown`] : [];
}

/** The nodes of one depth from this place on, each with those deeper that follow it. */
function nodesOf(
  resources: readonly TreeResource[],
  from: number,
): { readonly nodes: TreeNode[]; readonly end: number } {
  const nodes: TreeNode[] = [];
  const depth = resources[from]?.depth ?? 0;
  let at = from;
  for (
    let resource = resources[at];
    resource !== undefined && resource.depth >= depth;
    resource = resources[at]
  ) {
    const hasDeeper = (resources[at + 1]?.depth ?? 0) > resource.depth;
    const below = hasDeeper ? nodesOf(resources, at + 1) : { nodes: [], end: at + 1 };
    nodes.push({ ...resourceNode(resource), children: below.nodes });
    at = below.end;
  }
  return { nodes, end: at };
}

function resourceNode(resource: TreeResource): Omit<TreeNode, "children"> {
  const { kind, namespace, name, health, healthReason, healthMessage, drifted } = resource;
  return {
    label: namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
    health,
    reason: healthReason,
    message: healthMessage,
    notes: drifted === undefined ? [] : [`changed by ${drifted.changedBy || "somebody"}`],
  };
}

function rowsBelow({ children }: TreeNode, indent: string): string[][] {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return [
      rowOf(child, `${indent}${isLast ? "└─ " : "├─ "}`),
      ...rowsBelow(child, `${indent}${isLast ? "   " : "│  "}`),
    ];
  });
}

/** Of what is well, nobody wants to know why. */
function rowOf({ label, health, reason, message, notes }: TreeNode, indent: string): string[] {
  const why = health === "Healthy" ? "" : message;
  const beside = notes.join("; ");
  const told = why === "" || beside === "" ? why + beside : `${why} (${beside})`;
  return [`${indent}${printableLine(label)}`, health, health === "Healthy" ? "" : reason, told].map(
    (cell, column) => (column === 0 ? cell : printableLine(cell)),
  );
}

const colors: Readonly<Record<string, Parameters<Paint>[0]>> = {
  Healthy: "green",
  Progressing: "yellow",
  Unknown: "yellow",
  Degraded: "red",
  Missing: "red",
};

function paintHealth(paint: Paint, health: string): string {
  const color = colors[health];
  return color === undefined ? health : paint(color, health);
}
