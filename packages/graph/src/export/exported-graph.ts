import type { EdgeType } from "../model/object-facts.ts";
import type { Graph, GraphNode } from "../graph/graph.ts";
import { exportedId, flatProperties, type FlatProperties } from "./flat-properties.ts";

/** A node as it leaves for another program. */
export interface ExportedNode {
  readonly id: string;
  readonly kind: string;
  /** Empty for what is the same in all clusters. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  /** Whether it was seen; the others are only referred to. */
  readonly observed: boolean;
  readonly properties: FlatProperties;
}

export interface ExportedEdge {
  readonly type: EdgeType;
  readonly from: string;
  readonly to: string;
  /** JSON pointer into the object that says so. */
  readonly at: string;
  /** Whether it follows from labels. */
  readonly derived: boolean;
  readonly properties: FlatProperties;
}

export function* exportedNodes(graph: Graph): Generator<ExportedNode> {
  for (const node of graph.nodes()) {
    yield {
      id: idOf(graph, node),
      ...graph.ref(node),
      cluster: graph.cluster(node) ?? "",
      uid: graph.uid(node),
      observed: graph.observed(node),
      properties: flatProperties(graph.properties(node)),
    };
  }
}

/** All edges, those that follow from labels included. */
export function* exportedEdges(graph: Graph): Generator<ExportedEdge> {
  for (const node of graph.nodes()) {
    const from = idOf(graph, node);
    for (const { type, to, at, derived, properties } of graph.out(node)) {
      yield { type, from, to: idOf(graph, to), at, derived, properties: flatProperties(properties) };
    }
  }
}

function idOf(graph: Graph, node: GraphNode): string {
  return exportedId(graph.cluster(node) ?? "", graph.ref(node));
}
