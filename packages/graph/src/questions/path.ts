import type { GraphEdge, GraphNode } from "../graph/graph.ts";
import { answerEdge, type AnswerEdge } from "./answer-edge.ts";
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
    edges: edges.map((edge) => answerEdge(asking, edge)),
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
    truncated: search.isTruncated,
    notObserved: notObserved(asking, {
      clusters: [...new Set([...graph.clustersOf(search.from), ...graph.clustersOf(search.to)])],
    }),
  };
}

/** Of the hops without a way around, the one that is undone most easily; of those of all shortest paths else. */
function cutOf(asking: Asking, search: PathSearch): PathCut {
  const single = search.hops
    .map((hop, index) => ({ hop, index }))
    .filter(({ index }) => search.isOnlyHop(index))
    .toSorted((one, other) => effort(one.hop) - effort(other.hop));
  const whole = single.find(({ hop }) => search.isCut(hop));
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
  const removes = whole === undefined ? "every shortest path" : "every path";
  return { removes, hop: best.index, sentence: `${what}${more}: without it ${removes} is gone.` };
}

function isWithheldEdge(edge: AnswerEdge): edge is Withheld {
  return "withheld" in edge;
}

/** What is quickest to take away first. A pod cannot do without its containers, nor an owner without what it owns. */
const efforts: Readonly<Partial<Record<GraphEdge["type"], number>>> = {
  USES_SECRET: 1,
  USES_CONFIGMAP: 1,
  BINDS: 2,
  GRANTS: 2,
  ROUTES_TO: 3,
  SELECTS: 3,
  ATTACHED_TO: 3,
  RUNS_AS: 4,
  BACKED_BY: 5,
  USES_VOLUME: 6,
  RUNS_IMAGE: 7,
  RUNS_ON: 7,
};

function effort({ edges }: HopEnds): number {
  const each = edges.map(({ type }) => efforts[type] ?? 8);
  return Math.max(...each) + edges.length / 100;
}
