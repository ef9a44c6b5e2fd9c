import type { GraphEdge, GraphNode } from "../graph/graph.ts";
import { answerEdge, nodeText, type AnswerEdge } from "./answer-edge.ts";
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
}

export interface BlastRadiusOptions {
  /** Nodes in either direction. */
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
  const depending = new Spread(asking, (node) => dependingOn(graph, node), options).from(start);
  const reached = new Spread(asking, (node) => reachedFrom(graph, node), options).from(start);
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

interface SpreadResult {
  readonly concerned: readonly Concerned[];
  readonly isTruncated: boolean;
}

/** Goes from a node in all directions that steps lead, hop by hop. */
class Spread {
  readonly #asking: Asking;
  readonly #steps: (node: GraphNode) => Iterable<Step>;
  readonly #limit: number;
  readonly #maxHops: number;
  readonly #concerned: Concerned[] = [];
  /** Nodes that were seen, and whether only as owners of something. */
  readonly #seen = new Map<GraphNode, { onlyUp: boolean }>();
  #isTruncated = false;

  constructor(asking: Asking, steps: (node: GraphNode) => Iterable<Step>, options: BlastRadiusOptions) {
    this.#asking = asking;
    this.#steps = steps;
    this.#limit = options.limit ?? 1_000;
    this.#maxHops = options.maxHops ?? 12;
  }

  from(start: GraphNode): SpreadResult {
    this.#seen.set(start, { onlyUp: false });
    const members = this.#contained(start);
    let frontier: readonly GraphNode[] = members.length === 0 ? [start] : members;
    for (let hop = members.length === 0 ? 1 : 2; frontier.length > 0 && !this.#isTruncated; hop += 1) {
      if (hop > this.#maxHops) this.#isTruncated = true;
      else frontier = this.#hop(frontier, start, hop);
    }
    return { concerned: this.#concerned, isTruncated: this.#isTruncated };
  }

  /** What is in a namespace goes with it. */
  #contained(start: GraphNode): GraphNode[] {
    const { graph } = this.#asking;
    if (graph.kind(start) !== "Namespace") return [];
    const members: GraphNode[] = [];
    for (const node of graph.nodesIn(graph.cluster(start), graph.name(start))) {
      if (graph.uid(node) === undefined) continue;
      if (this.#concerned.length >= this.#limit) {
        this.#isTruncated = true;
        break;
      }
      const seen = answerNode(this.#asking, node);
      const because = { type: "CONTAINS", at: "", sentence: `${nodeText(graph, node)} is in it` } as const;
      this.#seen.set(node, { onlyUp: false });
      this.#concerned.push({
        node: seen,
        hop: 1,
        after: answerNode(this.#asking, start),
        because: isWithheld(seen) ? withheld : because,
      });
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
  #take({ edge, next, isUp = false }: Step, after: GraphNode, hop: number): boolean {
    const known = this.#seen.get(next);
    if (known !== undefined) {
      const isMore = known.onlyUp && !isUp;
      if (isMore) known.onlyUp = false;
      return isMore;
    }
    if (this.#concerned.length >= this.#limit) {
      this.#isTruncated = true;
      return false;
    }
    this.#seen.set(next, { onlyUp: isUp });
    this.#concerned.push(this.#answer(next, edge, { after, hop }));
    return true;
  }

  #answer(node: GraphNode, edge: GraphEdge, { after, hop }: { after: GraphNode; hop: number }): Concerned {
    const asking = this.#asking;
    return {
      node: answerNode(asking, node),
      hop,
      after: answerNode(asking, after),
      because: answerEdge(asking, edge),
    };
  }
}
