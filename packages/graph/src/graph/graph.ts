import { sharedKinds, type NodeRef } from "../model/node.ts";
import type { EdgeType, ObjectFacts, Properties } from "../model/object-facts.ts";
import type { ClusterEdge, ClusterGraph } from "./cluster-graph.ts";

/** A node of one of many clusters: a number that is valid while nothing changes. */
export type GraphNode = number;

export interface GraphEdge {
  readonly type: EdgeType;
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly at: string;
  readonly derived: boolean;
  readonly properties: Properties;
}

/** Room for the nodes of one cluster in the numbers of all. */
const nodesPerCluster = 2 ** 31;

/** The graphs of many clusters as one: images, users and groups are the same node in all of them. */
export class Graph {
  readonly #names: readonly string[];
  readonly #graphs: readonly ClusterGraph[];

  constructor(clusters: ReadonlyMap<string, ClusterGraph>) {
    this.#names = [...clusters.keys()];
    this.#graphs = [...clusters.values()];
  }

  /** The names of the clusters. */
  get clusters(): readonly string[] {
    return this.#names;
  }

  *entries(): Generator<readonly [cluster: string, graph: ClusterGraph]> {
    for (const [index, name] of this.#names.entries()) yield [name, this.#at(index)];
  }

  /** The node of a name. Without a cluster for what is the same in all of them. */
  find(cluster: string | undefined, ref: NodeRef): GraphNode | undefined {
    if (sharedKinds.has(ref.kind)) return this.#shared(ref);
    const index = cluster === undefined ? -1 : this.#names.indexOf(cluster);
    const node = this.#graphs[index]?.find(ref);
    return node === undefined ? undefined : index * nodesPerCluster + node;
  }

  /** The node of a uid, wherever it is. */
  findUid(uid: string): GraphNode | undefined {
    for (const [index, graph] of this.#graphs.entries()) {
      const node = graph.findUid(uid);
      if (node !== undefined) return index * nodesPerCluster + node;
    }
    return undefined;
  }

  /** A node of a cluster's own graph as one of all clusters. */
  nodeIn(cluster: string, node: number): GraphNode {
    return this.#global(this.#names.indexOf(cluster), node);
  }

  /** Nodes of a kind, of a namespace, of both, or all of them; those that clusters share once. */
  *nodes(kind?: string, namespace?: string): Generator<GraphNode> {
    for (const [index, graph] of this.#graphs.entries()) {
      for (const node of graph.nodes(kind, namespace)) {
        const own = index * nodesPerCluster + node;
        if (this.#global(index, node) === own) yield own;
      }
    }
  }

  /** Nodes in a namespace of one cluster. */
  *nodesIn(cluster: string | undefined, namespace: string): Generator<GraphNode> {
    const index = cluster === undefined ? -1 : this.#names.indexOf(cluster);
    for (const node of this.#graphs[index]?.nodes(undefined, namespace) ?? []) {
      yield index * nodesPerCluster + node;
    }
  }

  /** Undefined for what is the same in all clusters. */
  cluster(node: GraphNode): string | undefined {
    return sharedKinds.has(this.kind(node)) ? undefined : this.#names[clusterIndex(node)];
  }

  /** The clusters that have the node. */
  clustersOf(node: GraphNode): string[] {
    if (!sharedKinds.has(this.kind(node)))
      return this.#names.slice(clusterIndex(node), clusterIndex(node) + 1);
    const ref = this.ref(node);
    return this.#names.filter((_, index) => this.#at(index).find(ref) !== undefined);
  }

  ref(node: GraphNode): NodeRef {
    return this.#of(node).ref(localNode(node));
  }

  kind(node: GraphNode): string {
    return this.#of(node).kind(localNode(node));
  }

  namespace(node: GraphNode): string {
    return this.#of(node).namespace(localNode(node));
  }

  name(node: GraphNode): string {
    return this.#of(node).name(localNode(node));
  }

  uid(node: GraphNode): string | undefined {
    return this.#of(node).uid(localNode(node));
  }

  /** Whether the object was seen. What clusters share is no object, and never is. */
  observed(node: GraphNode): boolean {
    return this.#of(node).observed(localNode(node));
  }

  /** The node of the object that it is, or is part of; none for what is only referred to. */
  whole(node: GraphNode): GraphNode | undefined {
    const whole = this.#of(node).whole(localNode(node));
    return whole === undefined ? undefined : clusterIndex(node) * nodesPerCluster + whole;
  }

  properties(node: GraphNode): Properties {
    return this.#of(node).properties(localNode(node));
  }

  /** How much of what the object says was left out, because there was too much of it. */
  cut(node: GraphNode): ObjectFacts["cut"] {
    return this.#of(node).cut(localNode(node));
  }

  /** The properties of the edges into a node that have a text somewhere, the same ones of a cluster once. */
  *propertiesInto(node: GraphNode, lowerText: string): Generator<Properties> {
    for (const [index, local] of this.#locals(node)) yield* this.#at(index).propertiesInto(local, lowerText);
  }

  out(node: GraphNode): Generator<GraphEdge> {
    // In the first cluster all numbers are what they are: where there is no other, walks need no second look at edges.
    return this.#graphs.length === 1
      ? this.#at(0).out(node)
      : this.#edges(node, (graph, local) => graph.out(local));
  }

  in(node: GraphNode): Generator<GraphEdge> {
    return this.#graphs.length === 1
      ? this.#at(0).in(node)
      : this.#edges(node, (graph, local) => graph.in(local));
  }

  *#edges(
    node: GraphNode,
    edgesIn: (graph: ClusterGraph, local: number) => Iterable<ClusterEdge>,
  ): Generator<GraphEdge> {
    for (const [index, local] of this.#locals(node)) {
      for (const edge of edgesIn(this.#at(index), local)) yield this.#edge(index, edge);
    }
  }

  #edge(index: number, edge: ClusterEdge): GraphEdge {
    return index === 0
      ? edge
      : new ElsewhereEdge(edge, this.#global(index, edge.from), this.#global(index, edge.to));
  }

  #global(index: number, node: number): GraphNode {
    const own = index * nodesPerCluster + node;
    if (index === 0 || !sharedKinds.has(this.#at(index).kind(node))) return own;
    return this.#shared(this.#at(index).ref(node)) ?? own;
  }

  /** What clusters share is the node of the first of them that has it. */
  #shared(ref: NodeRef): GraphNode | undefined {
    for (const [index, graph] of this.#graphs.entries()) {
      const node = graph.find(ref);
      if (node !== undefined) return index * nodesPerCluster + node;
    }
    return undefined;
  }

  /** The nodes of clusters that a node stands for. */
  *#locals(node: GraphNode): Generator<readonly [index: number, local: number]> {
    const first = clusterIndex(node);
    yield [first, localNode(node)];
    if (this.#graphs.length === 1 || !sharedKinds.has(this.kind(node))) return;
    const ref = this.ref(node);
    for (let index = first + 1; index < this.#graphs.length; index += 1) {
      const local = this.#at(index).find(ref);
      if (local !== undefined) yield [index, local];
    }
  }

  #of(node: GraphNode): ClusterGraph {
    return this.#at(clusterIndex(node));
  }

  #at(index: number): ClusterGraph {
    const graph = this.#graphs[index];
    if (graph === undefined) throw new RangeError(`There is no cluster ${index} in this graph.`);
    return graph;
  }
}

/** An edge of a cluster with the numbers that its ends have among all. */
class ElsewhereEdge implements GraphEdge {
  readonly type: EdgeType;
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly at: string;
  readonly derived: boolean;
  readonly #edge: ClusterEdge;

  constructor(edge: ClusterEdge, from: GraphNode, to: GraphNode) {
    this.type = edge.type;
    this.from = from;
    this.to = to;
    this.at = edge.at;
    this.derived = edge.derived;
    this.#edge = edge;
  }

  get properties(): Properties {
    return this.#edge.properties;
  }
}

function clusterIndex(node: GraphNode): number {
  return Math.floor(node / nodesPerCluster);
}

function localNode(node: GraphNode): number {
  return node % nodesPerCluster;
}
