import type { GraphNode } from "../graph/graph.ts";
import { answerEdge, nodeText, type AnswerEdge, type WalkEdge } from "./answer-edge.ts";
import {
  answerNode,
  isWithheld,
  maySee,
  notObserved,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
  type Withheld,
} from "./asking.ts";
import { PathSearch, type HopEnds } from "./path-search.ts";

export interface PathAnswer extends AnswerFrame {
  /** Missing when there is none that the asker may see, as `to` is. */
  readonly from?: AnswerNode;
  readonly to?: AnswerNode;
  readonly found: boolean;
  /** `backward`: there is none from here to there, but one from there to here, which is told. */
  readonly direction: "forward" | "backward";
  readonly hops: readonly Hop[];
  /** How many shortest paths there are, and what to remove against them. */
  readonly alternatives: number;
  readonly cut: PathCut;
}

export interface Hop {
  readonly from: AnswerNode;
  readonly to: AnswerNode;
  /** All edges between the two: each of them would do. */
  readonly edges: readonly AnswerEdge[];
}

/**
 * What one hop to remove does:
 *
 * - `every path`: there is no way around it
 * - `every shortest path`: what remains is longer
 * - `nothing`: there is no such hop, several would have to go
 */
export interface PathCut {
  readonly removes: "every path" | "every shortest path" | "nothing";
  /** Which of the hops it is. */
  readonly hop?: number;
  readonly sentence: string;
}

/** Edges between two nodes: a pod may name the same Secret thousands of times. */
const edgesTold = 100;

/** The shortest way from one node to another, hop by hop, and where to cut it. */
export function path(asking: Asking, from: GraphNode | undefined, to: GraphNode | undefined): PathAnswer {
  if (from === undefined || to === undefined || !maySee(asking, from) || !maySee(asking, to)) {
    return noPath(asking, [from, to]);
  }
  const forward = new PathSearch(asking.graph, from, to);
  if (forward.length !== undefined) return found(asking, forward, "forward");
  const backward = new PathSearch(asking.graph, to, from);
  if (backward.length !== undefined) return found(asking, backward, "backward");
  return { ...noPath(asking, [from, to]), truncated: forward.isTruncated || backward.isTruncated };
}

function noPath(asking: Asking, [from, to]: readonly (GraphNode | undefined)[]): PathAnswer {
  return {
    ...(from === undefined ? {} : { from: answerNode(asking, from) }),
    ...(to === undefined ? {} : { to: answerNode(asking, to) }),
    found: false,
    direction: "forward",
    hops: [],
    alternatives: 0,
    cut: { removes: "nothing", sentence: "There is no path to cut." },
    withheld: 0,
    truncated: false,
    notObserved: notObserved(asking, {}),
  };
}

function found(asking: Asking, search: PathSearch, direction: "forward" | "backward"): PathAnswer {
  const { graph } = asking;
  const hops = search.hops.map(({ from, to, edges }): Hop => ({
    from: answerNode(asking, from),
    to: answerNode(asking, to),
    edges: edges.slice(0, edgesTold).map((edge) => answerEdge(asking, edge)),
  }));
  return {
    from: answerNode(asking, search.from),
    to: answerNode(asking, search.to),
    found: true,
    direction,
    hops,
    alternatives: search.alternatives,
    cut: cutOf(asking, search),
    withheld: hops.filter((hop) => isWithheld(hop.from) || isWithheld(hop.to)).length,
    truncated: search.isTruncated || search.hops.some(({ edges }) => edges.length > edgesTold),
    notObserved: notObserved(asking, {
      clusters: [...new Set([...graph.clustersOf(search.from), ...graph.clustersOf(search.to)])],
    }),
  };
}

/**
 * Of the hops without a way around, the one that is undone most easily; of those of all shortest paths else. What all
 * replicas of a workload have is one hop: one field of its template says it.
 */
function cutOf(asking: Asking, search: PathSearch): PathCut {
  const single = search.hops
    .map((hop, index) => ({ hop, index, alike: search.alike(index) }))
    .filter(({ alike }) => alike.length > 0)
    .toSorted((one, other) => effort(one) - effort(other));
  const whole = single.find(({ alike }) => search.isCut(alike));
  const best = whole ?? single[0];
  if (best === undefined) {
    return {
      removes: "nothing",
      sentence: "No single hop is on all shortest paths: several would have to go.",
    };
  }
  const [edge] = best.hop.edges.map((each) => answerEdge(asking, each));
  const what = edge === undefined || isWithheldEdge(edge) ? "A hop that is withheld" : edge.sentence;
  const more = best.hop.edges.length > 1 ? `, and ${best.hop.edges.length - 1} more between the two` : "";
  const replicas = replicasText(asking, search, best);
  const removes = whole === undefined ? "every shortest path" : "every path";
  return { removes, hop: best.index, sentence: `${what}${more}${replicas}: without it ${removes} is gone.` };
}

interface CutHop {
  readonly hop: HopEnds;
  readonly alike: readonly HopEnds[];
}

/** `, and the same of 2 more replicas of Deployment shop/web`. */
function replicasText(asking: Asking, search: PathSearch, { hop, alike }: CutHop): string {
  const others = alike.length - 1;
  if (others === 0) return "";
  const workload = search.workloadOf(hop.from) ?? search.workloadOf(hop.to);
  const isTold = workload !== undefined && maySee(asking, workload);
  const whose = isTold ? ` of ${nodeText(asking.graph, workload)}` : "";
  return `, and the same of ${others} more ${others === 1 ? "replica" : "replicas"}${whose}`;
}

function isWithheldEdge(edge: AnswerEdge): edge is Withheld {
  return "withheld" in edge;
}

/** What is quickest to take away first. A pod cannot do without its containers, nor an owner without what it owns. */
const efforts: Readonly<Partial<Record<WalkEdge["type"], number>>> = {
  USES_SECRET: 1,
  USES_CONFIGMAP: 1,
  BINDS: 2,
  GRANTS: 2,
  CAN_READ: 2,
  ROUTES_TO: 3,
  SELECTS: 3,
  ATTACHED_TO: 3,
  RUNS_AS: 4,
  BACKED_BY: 5,
  USES_VOLUME: 6,
  RUNS_IMAGE: 7,
  RUNS_ON: 7,
};

function effort({ hop: { edges }, alike }: CutHop): number {
  const each = edges.map(({ type }) => efforts[type] ?? 8);
  return Math.max(...each) + Math.min(edges.length, 50) / 100 + (alike.length > 1 ? 0.1 : 0);
}
