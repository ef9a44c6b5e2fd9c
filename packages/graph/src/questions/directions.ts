import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { WalkEdge } from "./answer-edge.ts";
import type { SecretRights } from "./secret-rights.ts";

/** A step over an edge, in either direction of it. */
export interface Step {
  readonly edge: WalkEdge;
  readonly next: GraphNode;
  /** To an owner: not all that it owns is concerned. */
  readonly isUp?: boolean;
  /** Somebody comes there, and no further on this way. */
  readonly isEnd?: boolean;
}

/** Everything runs on nodes and is in namespaces: who goes on from there comes to all. They are told, and left. */
export const hubKinds: ReadonlySet<string> = new Set(["Node", "Namespace"]);

/**
 * Where one gets from a node: what it owns, leads to, runs, reads and may do. From a Gateway to its routes against the
 * edge, because that is the way requests go, and so from a subject to its bindings, by which its rights come; from a
 * ServiceAccount to the Secrets that these let it read. Who runs as one without its token does nothing as it.
 */
export function* reachedFrom(graph: Graph, node: GraphNode, rights: SecretRights): Generator<Step> {
  for (const edge of graph.out(node)) {
    if (edge.type === "BINDS" || edge.type === "ATTACHED_TO") continue;
    const isEnd = edge.type === "RUNS_AS" && !rights.actsAs(edge);
    yield { edge, next: edge.to, isEnd };
  }
  const kind = graph.kind(node);
  if (isListening(kind)) {
    for (const edge of graph.in(node)) if (edge.type === "ATTACHED_TO") yield { edge, next: edge.from };
  }
  if (!isSubject(kind)) return;
  for (const edge of graph.in(node)) if (edge.type === "BINDS") yield { edge, next: edge.from };
  if (kind === "ServiceAccount") for (const edge of rights.edgesFrom(node)) yield { edge, next: edge.to };
}

/** What comes to it goes on by the routes that are attached to it. */
function isListening(kind: string): boolean {
  return (
    kind === "Gateway" ||
    kind === "Service" ||
    kind.startsWith("ListenerSet") ||
    kind.startsWith("XListenerSet")
  );
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
