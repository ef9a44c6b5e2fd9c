import type { Graph, GraphNode } from "../graph/graph.ts";
import { Owners } from "./owners.ts";

/** Which place nodes have in a workload: pods that are replicas of each other, and what is in them. */
export class Replicas {
  readonly #graph: Graph;
  readonly #owners: Owners;
  readonly #workloads = new Map<GraphNode, GraphNode | undefined>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#owners = new Owners(graph);
  }

  /** The workload that a pod, or a part of one, is a replica of. */
  workloadOf(node: GraphNode): GraphNode | undefined {
    const pod = this.#graph.whole(node);
    if (pod === undefined || this.#graph.kind(pod) !== "Pod") return undefined;
    if (this.#workloads.has(pod)) return this.#workloads.get(pod);
    const top = this.#owners.top(pod);
    const workload = top === pod ? undefined : top;
    this.#workloads.set(pod, workload);
    return workload;
  }

  /** The same for what has the same place in all replicas of a workload; undefined for what is no replica. */
  roleOf(node: GraphNode): string | undefined {
    const workload = this.workloadOf(node);
    if (workload === undefined) return undefined;
    const name = this.#graph.name(node);
    return `${workload} ${name.slice(name.indexOf("/") + 1 || name.length)}`;
  }
}
