import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";

/** A step over an edge, in either direction of it. */
export interface Step {
  readonly edge: GraphEdge;
  readonly next: GraphNode;
  /** To an owner: not all that it owns is concerned. */
  readonly isUp?: boolean;
}

/** Everything runs on nodes and is in namespaces: who goes on from there comes to all. They are told, and left. */
export const hubKinds: ReadonlySet<string> = new Set(["Node", "Namespace"]);

/**
 * Where one gets from a node: what it owns, leads to, runs, reads and may do. From a subject to its bindings against the
 * edge, because that is the way its rights come.
 */
export function* reachedFrom(graph: Graph, node: GraphNode): Generator<Step> {
  for (const edge of graph.out(node)) if (edge.type !== "BINDS") yield { edge, next: edge.to };
  if (!isSubject(graph.kind(node))) return;
  for (const edge of graph.in(node)) if (edge.type === "BINDS") yield { edge, next: edge.from };
}

function isSubject(kind: string): boolean {
  return kind === "ServiceAccount" || kind === "User" || kind === "Group";
}

/** Who is concerned when something happens to a node: who needs it, who owns it, and what goes with it. */
export function* dependingOn(graph: Graph, node: GraphNode): Generator<Step> {
  for (const edge of graph.in(node)) {
    if (edge.type === "BINDS") continue;
    if (edge.type === "OWNS") {
      if (!hubKinds.has(graph.kind(edge.from))) yield { edge, next: edge.from, isUp: true };
    } else if (!isRestriction(graph, edge)) yield { edge, next: edge.from };
  }
  for (const edge of graph.out(node)) {
    if (edge.type === "OWNS" || edge.type === "BINDS" || isRestriction(graph, edge)) {
      yield { edge, next: edge.to };
    }
  }
}

/** A policy acts on the pods it selects, whereas a Service lives of them. */
function isRestriction(graph: Graph, { type, from }: GraphEdge): boolean {
  return type === "SELECTS" && graph.kind(from) === "NetworkPolicy";
}
