import type { Graph, GraphNode } from "../graph/graph.ts";
import type { WalkEdge } from "./answer-edge.ts";
import { sortKey } from "./asking.ts";
import { hubKinds, reachedFrom } from "./directions.ts";
import { Replicas } from "./replicas.ts";
import { SecretRights } from "./secret-rights.ts";

/** Two nodes that follow each other on a path, and the edges between them. */
export interface HopEnds {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly edges: readonly WalkEdge[];
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
  readonly #rights: SecretRights;
  readonly #replicas: Replicas;
  readonly #distances: ReadonlyMap<GraphNode, number>;
  /** By distance: the hops between two nodes that are on some shortest path. */
  readonly #layers: readonly (readonly HopEnds[])[];

  constructor(graph: Graph, from: GraphNode, to: GraphNode) {
    this.#graph = graph;
    this.#rights = new SecretRights(graph);
    this.#replicas = new Replicas(graph);
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

  /** The hops of a place, if each is that of another replica of the same workload: one field says them all. */
  alike(index: number): readonly HopEnds[] {
    const layer = this.#layers[index] ?? [];
    const [first] = layer;
    if (first === undefined) return [];
    const types = new Set(first.edges.map(({ type }) => type));
    const isLike = ({ from, to, edges }: HopEnds): boolean =>
      this.#roleOf(from) === this.#roleOf(first.from) &&
      this.#roleOf(to) === this.#roleOf(first.to) &&
      edges.every(({ type }) => types.has(type));
    return layer.length === 1 || layer.every(isLike) ? layer : [];
  }

  /** The workload that a pod, or a part of one, is a replica of. */
  workloadOf(node: GraphNode): GraphNode | undefined {
    return this.#replicas.workloadOf(node);
  }

  /** Whether there is no way at all without these hops. */
  isCut(hops: readonly HopEnds[]): boolean {
    const { distances, isTruncated } = this.#measure(hops);
    return !isTruncated && !distances.has(this.to);
  }

  #roleOf(node: GraphNode): string {
    return this.#replicas.roleOf(node) ?? `${node}`;
  }

  /** Distances of nodes from the start, up to where the end is. */
  #measure(without: readonly HopEnds[] = []): {
    distances: ReadonlyMap<GraphNode, number>;
    isTruncated: boolean;
  } {
    const distances = new Map([[this.from, 0]]);
    const isWithout = isOneOf(without);
    let frontier = [this.from];
    for (let distance = 1; frontier.length > 0 && !distances.has(this.to); distance += 1) {
      const next: GraphNode[] = [];
      for (const node of frontier) {
        if (node !== this.from && hubKinds.has(this.#graph.kind(node))) continue;
        for (const step of reachedFrom(this.#graph, node, this.#rights)) {
          if (distances.has(step.next) || isWithout(node, step.next)) continue;
          if (step.isEnd === true && step.next !== this.to) continue;
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
    const edges = new Map<GraphNode, WalkEdge[]>();
    for (const { edge, next, isEnd = false } of reachedFrom(this.#graph, from, this.#rights)) {
      if (!ends.has(next) || (isEnd && next !== this.to)) continue;
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

function isOneOf(hops: readonly HopEnds[]): (from: GraphNode, to: GraphNode) => boolean {
  const ends = new Map<GraphNode, Set<GraphNode>>();
  for (const { from, to } of hops) {
    const known = ends.get(from);
    if (known === undefined) ends.set(from, new Set([to]));
    else known.add(to);
  }
  return (from, to) => ends.get(from)?.has(to) === true;
}
