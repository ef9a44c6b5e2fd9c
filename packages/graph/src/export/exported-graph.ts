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

export interface ExportOptions {
  /** Whether a node may leave; without it all may, and nothing is said of what is withheld. */
  readonly maySee?: ((node: GraphNode) => boolean) | undefined;
  /** Said at the beginning: the cluster, the time, what was not observed. */
  readonly about?: Readonly<Record<string, unknown>> | undefined;
}

/** What is exported of a graph: all of it, or as much as somebody may see. */
export class ExportedGraph {
  readonly #graph: Graph;
  readonly #maySee: (node: GraphNode) => boolean;
  #withheld = 0;

  constructor(graph: Graph, maySee: (node: GraphNode) => boolean = () => true) {
    this.#graph = graph;
    this.#maySee = maySee;
  }

  /** How many nodes and edges were left out so far, of those that were gone through. */
  get withheld(): number {
    return this.#withheld;
  }

  *nodes(): Generator<ExportedNode> {
    const graph = this.#graph;
    for (const node of graph.nodes()) {
      if (!this.#isSeen(node)) continue;
      yield {
        id: idOf(graph, node),
        ...graph.ref(node),
        cluster: graph.cluster(node) ?? "",
        uid: graph.uid(node),
        observed: graph.observed(node),
        properties: { ...flatProperties(graph.properties(node)), ...cutOf(graph, node) },
      };
    }
  }

  /** Edges between what is exported, those that follow from labels included. */
  *edges(): Generator<ExportedEdge> {
    const graph = this.#graph;
    for (const node of graph.nodes()) {
      const isSeen = this.#maySee(node);
      const from = idOf(graph, node);
      for (const { type, to, at, derived, properties } of graph.out(node)) {
        if (!isSeen || !this.#maySee(to)) this.#withheld += 1;
        else yield { type, from, to: idOf(graph, to), at, derived, properties: flatProperties(properties) };
      }
    }
  }

  #isSeen(node: GraphNode): boolean {
    const isSeen = this.#maySee(node);
    if (!isSeen) this.#withheld += 1;
    return isSeen;
  }
}

export function exportedNodes(graph: Graph): Generator<ExportedNode> {
  return new ExportedGraph(graph).nodes();
}

/** All edges, those that follow from labels included. */
export function exportedEdges(graph: Graph): Generator<ExportedEdge> {
  return new ExportedGraph(graph).edges();
}

/** As labels are: a list of `what=count`. */
function cutOf(graph: Graph, node: GraphNode): FlatProperties {
  const cut = graph.cut(node);
  return cut === undefined ? {} : { cut: Object.entries(cut).map(([what, count]) => `${what}=${count}`) };
}

function idOf(graph: Graph, node: GraphNode): string {
  return exportedId(graph.cluster(node) ?? "", graph.ref(node));
}
