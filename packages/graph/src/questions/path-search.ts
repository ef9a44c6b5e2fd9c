import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import { sortKey } from "./asking.ts";
import { hubKinds, reachedFrom } from "./directions.ts";

/** Two nodes that follow each other on a path, and the edges between them. */
export interface HopEnds {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly edges: readonly GraphEdge[];
}

/** More nodes than anybody gets at who is meant to; what is farther away is not found, which is said. */
const maxNodes = 50_000;

/** All shortest paths between two nodes. */
export class PathSearch {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly hops: readonly HopEnds[];
  readonly isTruncated: boolean;
  readonly #graph: Graph;
  readonly #distances: ReadonlyMap<GraphNode, number>;
  /** By distance: the hops between two nodes that are on some shortest path. */
  readonly #layers: readonly (readonly HopEnds[])[];

  constructor(graph: Graph, from: GraphNode, to: GraphNode) {
    this.#graph = graph;
    this.from = from;
    this.to = to;
    const { distances, isTruncated } = this.#measure();
    this.#distances = distances;
    this.isTruncated = isTruncated;
    this.#layers = this.#collect();
    this.hops = this.#first();
  }

  /** In hops; undefined where there is no path. */
  get length(): number | undefined {
    return this.#distances.get(this.to);
  }

  /** How many shortest paths there are, going by nodes. */
  get alternatives(): number {
    let counts = new Map([[this.from, 1]]);
    for (const layer of this.#layers) {
      const next = new Map<GraphNode, number>();
      for (const { from, to } of layer) next.set(to, (next.get(to) ?? 0) + (counts.get(from) ?? 0));
      counts = next;
    }
    return this.length === undefined ? 0 : (counts.get(this.to) ?? 0);
  }

  /** Whether all shortest paths go over the hop of that place. */
  isOnlyHop(index: number): boolean {
    return this.#layers[index]?.length === 1;
  }

  /** Whether there is no way at all without a hop. */
  isCut(hop: HopEnds): boolean {
    const { distances, isTruncated } = this.#measure(hop);
    return !isTruncated && !distances.has(this.to);
  }

  /** Distances of nodes from the start, up to where the end is. */
  #measure(without?: HopEnds): { distances: ReadonlyMap<GraphNode, number>; isTruncated: boolean } {
    const distances = new Map([[this.from, 0]]);
    let frontier = [this.from];
    for (let distance = 1; frontier.length > 0 && !distances.has(this.to); distance += 1) {
      const next: GraphNode[] = [];
      for (const node of frontier) {
        if (node !== this.from && hubKinds.has(this.#graph.kind(node))) continue;
        for (const step of reachedFrom(this.#graph, node)) {
          if (distances.has(step.next)) continue;
          if (without !== undefined && node === without.from && step.next === without.to) continue;
          distances.set(step.next, distance);
          next.push(step.next);
        }
      }
      if (distances.size > maxNodes) return { distances, isTruncated: !distances.has(this.to) };
      frontier = next;
    }
    return { distances, isTruncated: false };
  }

  /** The hops of all shortest paths, gathered from the end: of what was measured most leads elsewhere. */
  #collect(): HopEnds[][] {
    const layers: HopEnds[][] = [];
    const length = this.#distances.get(this.to) ?? 0;
    const byDistance: GraphNode[][] = Array.from({ length: length + 1 }, () => []);
    for (const [node, distance] of this.#distances) byDistance[distance]?.push(node);
    let ends: ReadonlySet<GraphNode> = new Set([this.to]);
    for (let distance = length - 1; distance >= 0; distance -= 1) {
      const hops = (byDistance[distance] ?? []).flatMap((node) => this.#hopsTo(node, ends));
      layers.unshift(hops);
      ends = new Set(hops.map(({ from }) => from));
    }
    return layers;
  }

  #hopsTo(from: GraphNode, ends: ReadonlySet<GraphNode>): HopEnds[] {
    if (from !== this.from && hubKinds.has(this.#graph.kind(from))) return [];
    const edges = new Map<GraphNode, GraphEdge[]>();
    for (const { edge, next } of reachedFrom(this.#graph, from)) {
      if (!ends.has(next)) continue;
      const known = edges.get(next);
      if (known === undefined) edges.set(next, [edge]);
      else known.push(edge);
    }
    return [...edges].map(([to, between]) => ({ from, to, edges: between }));
  }

  /** One of them: the first of each layer that goes on where the last one ended. */
  #first(): HopEnds[] {
    const hops: HopEnds[] = [];
    let at = this.from;
    for (const layer of this.#layers) {
      const [hop] = layer
        .filter(({ from }) => from === at)
        .toSorted((one, other) => (sortKey(this.#graph, one.to) < sortKey(this.#graph, other.to) ? -1 : 1));
      if (hop === undefined) break;
      hops.push(hop);
      at = hop.to;
    }
    return hops;
  }
}
