import type { GraphNode } from "../graph/graph.ts";
import { answerEdge, nodeText, type AnswerEdge, type WalkEdge } from "./answer-edge.ts";
import {
  answerNode,
  isWithheld,
  maySee,
  notObserved,
  withheld,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { dependingOn, hubKinds, reachedFrom, type Step } from "./directions.ts";
import { Replicas } from "./replicas.ts";
import { SecretRights } from "./secret-rights.ts";

export interface BlastRadiusAnswer extends AnswerFrame {
  /** Missing when there is none that the asker may see. */
  readonly start?: AnswerNode;
  readonly found: boolean;
  /** Who is concerned when something happens to it. */
  readonly depending: readonly Concerned[];
  /** Where one gets from it. */
  readonly reached: readonly Concerned[];
}

export interface Concerned {
  readonly node: AnswerNode;
  readonly hop: number;
  /** The node of the hop before, and the edge between the two. */
  readonly after: AnswerNode;
  readonly because: AnswerEdge;
  /** The same is true of so many replicas of a workload, of which this is the first by name; missing for one alone. */
  readonly replicas?: number;
}

export interface BlastRadiusOptions {
  /** Nodes in either direction; those of the replicas of a workload are one. */
  readonly limit?: number | undefined;
  readonly maxHops?: number | undefined;
}

/** All that depends on a node and all that is reached from it, the nearest first, each with the reason. */
export function blastRadius(
  asking: Asking,
  start: GraphNode | undefined,
  options: BlastRadiusOptions = {},
): BlastRadiusAnswer {
  if (start === undefined || !maySee(asking, start)) {
    return { ...emptyAnswer, notObserved: notObserved(asking, {}) };
  }
  const { graph } = asking;
  const rights = new SecretRights(graph);
  const replicas = new Replicas(graph);
  const depending = new Spread(asking, replicas, (node) => dependingOn(graph, node), options).from(start);
  const reached = new Spread(asking, replicas, (node) => reachedFrom(graph, node, rights), options).from(
    start,
  );
  const hidden = [...depending.concerned, ...reached.concerned].filter(({ node }) => isWithheld(node));
  return {
    start: answerNode(asking, start),
    found: true,
    depending: depending.concerned,
    reached: reached.concerned,
    withheld: hidden.length,
    truncated: depending.isTruncated || reached.isTruncated,
    notObserved: notObserved(asking, { clusters: graph.clustersOf(start) }),
  };
}

const emptyAnswer = {
  found: false,
  depending: [],
  reached: [],
  withheld: 0,
  truncated: false,
};

/** How a node was come to. */
interface Seen {
  /** Only as the owner of something. */
  onlyUp: boolean;
  /** Only at the end of ways. */
  onlyEnd: boolean;
}

interface SpreadResult {
  readonly concerned: readonly Concerned[];
  readonly isTruncated: boolean;
}

/** Something that was come to, and how; without an edge for what is in the namespace where it began. */
interface Found {
  readonly node: GraphNode;
  readonly after: GraphNode;
  readonly edge: WalkEdge | undefined;
}

/** What is told together: what was come to in one hop in the same way, in all replicas of a workload. */
interface Told {
  readonly hop: number;
  first: Found;
  replicas: number;
}

/** So many are looked at for each that is told: a workload may have thousands of replicas. */
const seenPerTold = 10;

/** Goes from a node in all directions that steps lead, hop by hop. */
class Spread {
  readonly #asking: Asking;
  readonly #replicas: Replicas;
  readonly #steps: (node: GraphNode) => Iterable<Step>;
  readonly #limit: number;
  readonly #maxHops: number;
  readonly #told: Told[] = [];
  /** By hop, edge and place in the workload. */
  readonly #alike = new Map<string, Told>();
  readonly #seen = new Map<GraphNode, Seen>();
  readonly #nodes = new Map<GraphNode, AnswerNode>();
  #isTruncated = false;

  constructor(
    asking: Asking,
    replicas: Replicas,
    steps: (node: GraphNode) => Iterable<Step>,
    options: BlastRadiusOptions,
  ) {
    this.#asking = asking;
    this.#replicas = replicas;
    this.#steps = steps;
    this.#limit = options.limit ?? 1_000;
    this.#maxHops = options.maxHops ?? 12;
  }

  from(start: GraphNode): SpreadResult {
    this.#seen.set(start, { onlyUp: false, onlyEnd: false });
    const members = this.#contained(start);
    let frontier: readonly GraphNode[] = members.length === 0 ? [start] : members;
    for (let hop = members.length === 0 ? 1 : 2; frontier.length > 0 && !this.#isTruncated; hop += 1) {
      if (hop > this.#maxHops) this.#isTruncated = true;
      else frontier = this.#hop(frontier, start, hop);
    }
    return { concerned: this.#told.map((told) => this.#tell(told)), isTruncated: this.#isTruncated };
  }

  /** What is in a namespace goes with it. */
  #contained(start: GraphNode): GraphNode[] {
    const { graph } = this.#asking;
    if (graph.kind(start) !== "Namespace") return [];
    const members: GraphNode[] = [];
    for (const node of graph.nodesIn(graph.cluster(start), graph.name(start))) {
      if (graph.uid(node) === undefined) continue;
      if (!this.#add({ node, after: start, edge: undefined }, 1)) break;
      this.#seen.set(node, { onlyUp: false, onlyEnd: false });
      members.push(node);
    }
    return members;
  }

  #hop(frontier: readonly GraphNode[], start: GraphNode, hop: number): GraphNode[] {
    const next: GraphNode[] = [];
    for (const node of frontier) {
      if (node !== start && hubKinds.has(this.#asking.graph.kind(node))) continue;
      const onlyUp = this.#seen.get(node)?.onlyUp ?? false;
      for (const step of this.#steps(node)) {
        // What an owner owns beside the one that led to it is not concerned.
        if (onlyUp && step.edge.type === "OWNS" && step.edge.from === node) continue;
        if (!this.#take(step, node, hop)) continue;
        next.push(step.next);
        if (this.#isTruncated) return next;
      }
    }
    return next;
  }

  /** Whether to go on from there. */
  #take({ edge, next, isUp = false, isEnd = false }: Step, after: GraphNode, hop: number): boolean {
    const known = this.#seen.get(next);
    if (known !== undefined) {
      const isMore = !isEnd && (known.onlyEnd || (known.onlyUp && !isUp));
      if (isMore) [known.onlyUp, known.onlyEnd] = [known.onlyUp && isUp, false];
      return isMore;
    }
    if (!this.#add({ node: next, after, edge }, hop)) return false;
    this.#seen.set(next, { onlyUp: isUp, onlyEnd: isEnd });
    return !isEnd;
  }

  /** Whether there is room for it. */
  #add(found: Found, hop: number): boolean {
    const key = this.#placeOf(found, hop);
    const alike = key === undefined ? undefined : this.#alike.get(key);
    const isFull = alike === undefined && this.#told.length >= this.#limit;
    if (isFull || this.#seen.size > this.#limit * seenPerTold) {
      this.#isTruncated = true;
      return false;
    }
    if (alike === undefined) {
      const told = { hop, first: found, replicas: 1 };
      this.#told.push(told);
      if (key !== undefined) this.#alike.set(key, told);
      return true;
    }
    const { graph } = this.#asking;
    alike.replicas += 1;
    if (graph.name(found.node) < graph.name(alike.first.node)) alike.first = found;
    return true;
  }

  /** The same for what is told together. What is withheld is counted one by one. */
  #placeOf({ node, edge }: Found, hop: number): string | undefined {
    const role = this.#replicas.roleOf(node);
    if (role === undefined || !maySee(this.#asking, node)) return undefined;
    return `${hop} ${edge?.type ?? ""} ${this.#asking.graph.kind(node)} ${role}`;
  }

  #tell({ hop, first: { node, after, edge }, replicas }: Told): Concerned {
    const told = this.#answerNode(node);
    return {
      node: told,
      hop,
      after: this.#answerNode(after),
      because: edge === undefined ? this.#contains(node, told) : answerEdge(this.#asking, edge),
      ...(replicas === 1 ? {} : { replicas }),
    };
  }

  #contains(node: GraphNode, told: AnswerNode): AnswerEdge {
    if (isWithheld(told)) return withheld;
    return { type: "CONTAINS", at: "", sentence: `${nodeText(this.#asking.graph, node)} is in it` };
  }

  /** Many come after the same one. */
  #answerNode(node: GraphNode): AnswerNode {
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    const told = answerNode(this.#asking, node);
    this.#nodes.set(node, told);
    return told;
  }
}
