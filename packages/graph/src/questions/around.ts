import type { GraphNode } from "../graph/graph.ts";
import type { EdgeType, Properties } from "../model/object-facts.ts";
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
import { Neighbourhood, type Neighbour, type NeighbourEdge } from "./neighbourhood.ts";
import { withinBudget } from "./picture-budget.ts";
import type { Trouble } from "./trouble.ts";

export interface AroundAnswer extends AnswerFrame {
  readonly found: boolean;
  /** What the object in the middle says about itself. */
  readonly properties?: Properties;
  /** How many objects there are, those included that are withheld or did not fit. */
  readonly total: number;
  /** The one in the middle first, then the nearest. */
  readonly nodes: readonly AroundNode[];
  readonly edges: readonly AroundEdge[];
  /** What did not fit. */
  readonly leftOut: readonly LeftOut[];
}

export interface AroundNode {
  readonly node: AnswerNode;
  /** How far from the one in the middle. */
  readonly hop: number;
  readonly trouble?: Trouble;
  /** It stands for so many that are alike; missing for one alone. */
  readonly replicas?: number;
}

export interface AroundEdge {
  /** Places in the list of nodes. */
  readonly from: number;
  readonly to: number;
  readonly edge: AnswerEdge;
  /** It stands for so many; missing for one alone. */
  readonly count?: number;
}

export interface LeftOut {
  readonly kind: string;
  readonly trouble?: Trouble;
  readonly count: number;
}

export interface AroundOptions {
  /** How many hops; 2 if missing. */
  readonly depth?: number | undefined;
  /** Only over these; all of them if missing. */
  readonly types?: ReadonlySet<EdgeType> | undefined;
  /** How many nodes of a picture; 200 if missing. */
  readonly limit?: number | undefined;
}

const defaults = { depth: 2, limit: 200 } as const;

/** What is around an object: as much as a picture has room for, what is in trouble first, and what was left out. */
export function around(
  asking: Asking,
  start: GraphNode | undefined,
  options: AroundOptions = {},
): AroundAnswer {
  if (start === undefined || !maySee(asking, start)) {
    return { ...nothing, notObserved: notObserved(asking, {}) };
  }
  const { graph } = asking;
  const { depth = defaults.depth, limit = defaults.limit, types } = options;
  const found = new Neighbourhood(asking, { depth, types });
  const middle = found.explore(start);
  const told = withinBudget(found.neighbours, limit);
  const places = new Map(told.map((neighbour, place) => [neighbour, place]));
  const edges = found.edges.flatMap((each): AroundEdge[] => {
    const [from, to] = [places.get(each.from), places.get(each.to)];
    if (from === undefined || to === undefined) return [];
    return [{ from, to, edge: tellEdge(asking, each), ...(each.count === 1 ? {} : { count: each.count }) }];
  });
  return {
    found: true,
    properties: graph.properties(middle),
    total: found.neighbours.reduce((sum, { replicas }) => sum + replicas, 0),
    nodes: told.map((neighbour) => tell(asking, neighbour)),
    edges: edges.toSorted((one, other) => one.from - other.from || one.to - other.to),
    leftOut: leftOut(
      asking,
      found.neighbours.filter((neighbour) => !places.has(neighbour)),
    ),
    withheld: found.neighbours.reduce((sum, { isSeen, replicas }) => sum + (isSeen ? 0 : replicas), 0),
    truncated: found.isTruncated || told.length < found.neighbours.length,
    notObserved: notObserved(asking, { clusters: graph.clustersOf(start) }),
  };
}

const nothing = {
  found: false,
  total: 0,
  nodes: [],
  edges: [],
  leftOut: [],
  withheld: 0,
  truncated: false,
} as const;

function tell(asking: Asking, { node, hop, trouble, replicas }: Neighbour): AroundNode {
  return {
    node: answerNode(asking, node),
    hop,
    ...(trouble === undefined ? {} : { trouble }),
    ...(replicas === 1 ? {} : { replicas }),
  };
}

function tellEdge(asking: Asking, { to, edge }: NeighbourEdge): AnswerEdge {
  if (edge !== undefined) return answerEdge(asking, edge);
  if (!to.isSeen) return withheld;
  return { type: "CONTAINS", at: "", sentence: `${nodeText(asking.graph, to.node)} is in it` };
}

/** By kind and trouble, the most first. */
function leftOut(asking: Asking, neighbours: readonly Neighbour[]): LeftOut[] {
  const groups = new Map<string, { kind: string; trouble?: Trouble; count: number }>();
  for (const { node, trouble, replicas } of neighbours) {
    const told = answerNode(asking, node);
    const kind = isWithheld(told) ? "" : told.kind;
    const key = `${kind} ${trouble ?? ""}`;
    const group = groups.get(key) ?? { kind, ...(trouble === undefined ? {} : { trouble }), count: 0 };
    group.count += replicas;
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count).slice(0, groupsTold);
}

const groupsTold = 100;
