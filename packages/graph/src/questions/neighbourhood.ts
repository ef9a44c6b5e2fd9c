import type { GraphEdge, GraphNode } from "../graph/graph.ts";
import type { EdgeType } from "../model/object-facts.ts";
import { maySee, sortKey, type Asking } from "./asking.ts";
import { hubKinds } from "./directions.ts";
import { Owners } from "./owners.ts";
import { rankOf, troubleOf, type Trouble } from "./trouble.ts";

/** A node of the picture: one object, or several that are alike. */
export interface Neighbour {
  /** The first of them by name. */
  readonly node: GraphNode;
  readonly key: string;
  readonly hop: number;
  /** By which it was come to first; missing for the one in the middle. */
  readonly after: Neighbour | undefined;
  readonly trouble: Trouble | undefined;
  readonly rank: number;
  readonly replicas: number;
  readonly isSeen: boolean;
}

export interface NeighbourEdge {
  readonly from: Neighbour;
  readonly to: Neighbour;
  /** The first of them; missing for a namespace and what is in it. */
  readonly edge: GraphEdge | undefined;
  readonly count: number;
}

interface OpenNeighbour extends Neighbour {
  node: GraphNode;
  key: string;
  replicas: number;
}

interface OpenEdge extends NeighbourEdge {
  count: number;
}

export interface NeighbourhoodOptions {
  readonly depth: number;
  readonly types: ReadonlySet<EdgeType> | undefined;
}

/** A ConfigMap may be read by a hundred thousand pods: more are not looked at. */
const mostSeen = 20_000;

/** What a container or volume uses is used by its pod: within a pod there is no edge to draw. */
const partKinds: ReadonlySet<string> = new Set(["Container", "Volume"]);

/**
 * What is around an object, hop by hop and in both directions of edges. What is inside of a pod is the pod; what is alike
 * is one: replicas of a workload, Jobs of a CronJob, ReplicaSets that a Deployment keeps to go back to.
 */
export class Neighbourhood {
  readonly neighbours: Neighbour[] = [];
  readonly #asking: Asking;
  readonly #options: NeighbourhoodOptions;
  readonly #owners: Owners;
  readonly #byNode = new Map<GraphNode, OpenNeighbour>();
  readonly #alike = new Map<string, OpenNeighbour>();
  readonly #edges = new Map<string, OpenEdge>();
  readonly #numbers = new Map<Neighbour, number>();
  /** Objects all of whose edges were looked at. */
  readonly #done = new Set<GraphNode>();
  #isTruncated = false;

  constructor(asking: Asking, options: NeighbourhoodOptions) {
    this.#asking = asking;
    this.#options = options;
    this.#owners = new Owners(asking.graph);
  }

  /** Whether there was too much to look at. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get edges(): NeighbourEdge[] {
    return [...this.#edges.values()];
  }

  /** Goes as far as the depth says; returns the object in the middle. */
  explore(start: GraphNode): GraphNode {
    const middle = this.#whole(start);
    let frontier: readonly GraphNode[] = [middle];
    const first = this.#add(middle, undefined, 0);
    for (let hop = 1; hop <= this.#options.depth; hop += 1) {
      const members = hop === 1 ? this.#members(first) : [];
      frontier = [...members, ...this.#hop(frontier, middle, hop)];
    }
    this.#connect(frontier, middle);
    return middle;
  }

  /** What is in a namespace, but for what others own that are there too. */
  #members(first: OpenNeighbour): GraphNode[] {
    const { graph } = this.#asking;
    const { node: namespace } = first;
    if (graph.kind(namespace) !== "Namespace") return [];
    const members: GraphNode[] = [];
    for (const node of graph.nodesIn(graph.cluster(namespace), graph.name(namespace))) {
      if (graph.uid(node) === undefined || this.#owners.top(node) !== node) continue;
      if (this.#whole(node) !== node || this.#byNode.has(node)) continue;
      if (this.#isFull()) break;
      this.#join(first, this.#add(node, first, 1), undefined);
      members.push(node);
    }
    return members;
  }

  #hop(frontier: readonly GraphNode[], middle: GraphNode, hop: number): GraphNode[] {
    const next: GraphNode[] = [];
    for (const node of frontier) {
      const neighbour = this.#byNode.get(node);
      if (neighbour === undefined || !this.#leadsOn(neighbour, node, middle)) continue;
      for (const { edge, other } of this.#steps(node, middle)) {
        if (this.#done.has(other)) continue;
        if (!this.#byNode.has(other)) {
          if (this.#isFull()) return next;
          this.#add(other, neighbour, hop);
          next.push(other);
        }
        this.#joinBy(edge);
      }
      this.#done.add(node);
    }
    return next;
  }

  #isFull(): boolean {
    this.#isTruncated ||= this.#byNode.size >= mostSeen;
    return this.#isTruncated;
  }

  /** Edges between those of the last hop. */
  #connect(frontier: readonly GraphNode[], middle: GraphNode): void {
    for (const node of frontier) {
      const neighbour = this.#byNode.get(node);
      if (neighbour === undefined || !this.#leadsOn(neighbour, node, middle)) continue;
      for (const { edge, other } of this.#steps(node, middle)) {
        if (this.#byNode.has(other) && !this.#done.has(other)) this.#joinBy(edge);
      }
      this.#done.add(node);
    }
  }

  /** Everything runs on nodes and is in namespaces; from what is withheld nobody goes on. */
  #leadsOn({ isSeen }: Neighbour, node: GraphNode, middle: GraphNode): boolean {
    return isSeen && (node === middle || !hubKinds.has(this.#asking.graph.kind(node)));
  }

  /** Edges of an object and of what is inside of it, to other objects. */
  *#steps(
    node: GraphNode,
    middle: GraphNode,
  ): Generator<{ readonly edge: GraphEdge; readonly other: GraphNode }> {
    const { graph } = this.#asking;
    for (const part of this.#withParts(node)) {
      for (const edge of graph.out(part)) {
        const other = this.#whole(edge.to);
        if (other !== node && this.#isWanted(edge, middle)) yield { edge, other };
      }
      for (const edge of graph.in(part)) {
        const other = this.#whole(edge.from);
        if (other !== node && this.#isWanted(edge, middle)) yield { edge, other };
      }
    }
  }

  *#withParts(node: GraphNode): Generator<GraphNode> {
    yield node;
    const { graph } = this.#asking;
    if (graph.kind(node) !== "Pod") return;
    const seen = new Set<GraphNode>();
    for (const { to } of graph.out(node)) {
      if (seen.has(to) || !partKinds.has(graph.kind(to))) continue;
      seen.add(to);
      yield to;
    }
  }

  /** The template of a ReplicaSet says what its Deployment and its pods say: three edges for one. */
  #isWanted({ type, from }: GraphEdge, middle: GraphNode): boolean {
    if (this.#options.types?.has(type) === false) return false;
    const { graph } = this.#asking;
    const isTemplate = type !== "OWNS" && graph.kind(from) === "ReplicaSet" && from !== middle;
    return !isTemplate || this.#owners.top(from) === from;
  }

  #whole(node: GraphNode): GraphNode {
    const { graph } = this.#asking;
    return partKinds.has(graph.kind(node)) ? (graph.whole(node) ?? node) : node;
  }

  #add(node: GraphNode, after: OpenNeighbour | undefined, hop: number): OpenNeighbour {
    const isSeen = maySee(this.#asking, node);
    const { graph } = this.#asking;
    const trouble = isSeen ? troubleOf(this.#asking, node) : undefined;
    const alikeKey = after === undefined ? undefined : this.#alikeKey(node, after, isSeen, trouble);
    const alike = alikeKey === undefined ? undefined : this.#alike.get(alikeKey);
    const key = sortKey(graph, node);
    if (alike !== undefined) {
      this.#byNode.set(node, alike);
      alike.replicas += 1;
      if (key < alike.key) [alike.key, alike.node] = [key, node];
      return alike;
    }
    const rank = rankOf(graph, node, trouble);
    const added: OpenNeighbour = { node, key, hop, after, trouble, rank, replicas: 1, isSeen };
    this.#byNode.set(node, added);
    this.#numbers.set(added, this.neighbours.length);
    this.neighbours.push(added);
    if (alikeKey !== undefined) this.#alike.set(alikeKey, added);
    return added;
  }

  /** The same for what is drawn as one; undefined for what is drawn alone. What is withheld is told where it is met. */
  #alikeKey(
    node: GraphNode,
    after: Neighbour,
    isSeen: boolean,
    trouble: Trouble | undefined,
  ): string | undefined {
    if (!isSeen) return `withheld ${this.#numbers.get(after)}`;
    const { graph } = this.#asking;
    const kind = graph.kind(node);
    const isRetired = kind === "ReplicaSet" && graph.properties(node)["replicas"] === 0;
    if (kind !== "Pod" && kind !== "Job" && !isRetired) return undefined;
    const top = this.#owners.top(node);
    return top === node ? undefined : `${kind} ${top} ${trouble ?? ""}`;
  }

  #joinBy(edge: GraphEdge): void {
    const from = this.#byNode.get(this.#whole(edge.from));
    const to = this.#byNode.get(this.#whole(edge.to));
    if (from !== undefined && to !== undefined && from !== to) this.#join(from, to, edge);
  }

  /** Edges of one type between the same two are one. */
  #join(from: Neighbour, to: Neighbour, edge: GraphEdge | undefined): void {
    const key = `${this.#numbers.get(from)} ${this.#numbers.get(to)} ${edge?.type ?? ""}`;
    const known = this.#edges.get(key);
    if (known === undefined) this.#edges.set(key, { from, to, edge, count: 1 });
    else known.count += 1;
  }
}
