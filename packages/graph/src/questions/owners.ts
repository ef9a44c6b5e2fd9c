import type { Graph, GraphNode } from "../graph/graph.ts";

/** Pods of Kubernetes are owned by a ReplicaSet, that by a Deployment; operators add a few. */
const maxOwners = 10;

/** Who owns whom, up to the top. The replicas of a workload have the same owners, which are looked up once. */
export class Owners {
  readonly #graph: Graph;
  readonly #chains = new Map<GraphNode, readonly GraphNode[]>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** From the nearest to the one that nobody owns. A circle of owners ends where it began. */
  of(node: GraphNode): readonly GraphNode[] {
    const owner = this.#ownerOf(node);
    if (owner === undefined) return [];
    let chain = this.#chains.get(owner);
    if (chain === undefined) this.#chains.set(owner, (chain = this.#chainFrom(owner)));
    return chain.includes(node) ? chain.slice(0, chain.indexOf(node)) : chain;
  }

  /** The workload that a node belongs to: itself, if nobody owns it. */
  top(node: GraphNode): GraphNode {
    return this.of(node).at(-1) ?? node;
  }

  #chainFrom(first: GraphNode): GraphNode[] {
    const chain: GraphNode[] = [];
    for (let owner: GraphNode | undefined = first; owner !== undefined; owner = this.#ownerOf(owner)) {
      if (chain.includes(owner) || chain.length >= maxOwners) break;
      chain.push(owner);
    }
    return chain;
  }

  /** The one that controls it, where several are named. Pods that a node runs by itself are their own. */
  #ownerOf(node: GraphNode): GraphNode | undefined {
    let owner: GraphNode | undefined;
    for (const edge of this.#graph.in(node)) {
      if (edge.type !== "OWNS" || edge.from === node || this.#graph.kind(edge.from) === "Node") continue;
      if (edge.properties["controller"] === true) return edge.from;
      owner ??= edge.from;
    }
    return owner;
  }
}
