import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { EdgeType } from "../model/object-facts.ts";
import { answerEdge, type AnswerEdge } from "./answer-edge.ts";
import {
  answerNode,
  maySee,
  notObserved,
  sortKey,
  usingKinds,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { Owners } from "./owners.ts";

export interface UsesAnswer extends AnswerFrame {
  /** Missing when there is none that the asker may see. */
  readonly target?: AnswerNode;
  /** Whether anybody has seen it or refers to it. */
  readonly found: boolean;
  /** All users, those included that are withheld or did not fit. */
  readonly total: number;
  readonly users: readonly User[];
}

export interface User {
  readonly user: AnswerNode;
  /** From the nearest one to the workload at the top. */
  readonly owners: readonly AnswerNode[];
  /** Each way from the user to the target, edge by edge: through a container or a volume, or at once. */
  readonly ways: readonly (readonly AnswerEdge[])[];
  /** It goes without, if the target is not there. */
  readonly optional: boolean;
}

const useTypes: ReadonlySet<EdgeType> = new Set([
  ...(["USES_SECRET", "USES_CONFIGMAP", "USES_VOLUME"] as const),
  ...(["BACKED_BY", "RUNS_IMAGE", "RUNS_AS", "HAS_CONTAINER"] as const),
]);

const defaultLimit = 1_000;
/** Ways of one user: a pod may name the same Secret thousands of times. */
const waysTold = 100;

/** Who uses a Secret, a ConfigMap, a claim, an image or a ServiceAccount, through which fields, and for whom. */
export function uses(asking: Asking, target: GraphNode | undefined, limit = defaultLimit): UsesAnswer {
  const { graph } = asking;
  if (target === undefined || !maySee(asking, target)) return nothing(asking, target);
  const owners = new Owners(graph);
  const ways = waysTo(graph, target);
  dropTemplates(graph, ways, owners);
  const users = [...ways.keys()]
    .map((user) => ({ user, key: `${sortKey(graph, owners.top(user))} ${sortKey(graph, user)}` }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const answered = users.slice(0, limit).map(({ user }): User => ({
    user: answerNode(asking, user),
    owners: maySee(asking, user) ? owners.of(user).map((owner) => answerNode(asking, owner)) : [],
    ways: (ways.get(user) ?? []).slice(0, waysTold).map((way) => way.map((edge) => answerEdge(asking, edge))),
    optional: (ways.get(user) ?? []).every((way) =>
      way.some(({ properties }) => properties["optional"] === true),
    ),
  }));
  return {
    target: answerNode(asking, target),
    found: true,
    total: users.length,
    users: answered,
    withheld: answered.filter(({ user }) => "withheld" in user).length,
    truncated:
      users.length > answered.length ||
      users.slice(0, limit).some(({ user }) => (ways.get(user) ?? []).length > waysTold),
    notObserved: notObserved(asking, {
      clusters: graph.clustersOf(target),
      ...(graph.namespace(target) === "" ? {} : { namespaces: [graph.namespace(target)] }),
      kinds: new Set([...usingKinds, graph.kind(target)]),
    }),
  };
}

/** Nobody learns whether there is something that they may not see. */
function nothing(asking: Asking, target: GraphNode | undefined): UsesAnswer {
  return {
    found: target !== undefined && maySee(asking, target),
    total: 0,
    users: [],
    withheld: 0,
    truncated: false,
    notObserved: notObserved(asking, { kinds: usingKinds }),
  };
}

/** The ways of every object that uses the target. What is inside of a pod is a step, the pod is the user. */
function waysTo(graph: Graph, target: GraphNode): Map<GraphNode, GraphEdge[][]> {
  const ways = new Map<GraphNode, GraphEdge[][]>();
  const add = (way: GraphEdge[]): void => {
    const [first] = way;
    if (first === undefined) return;
    const known = ways.get(first.from);
    if (known === undefined) ways.set(first.from, [way]);
    else known.push(way);
  };
  for (const edge of graph.in(target)) {
    if (!useTypes.has(edge.type) || edge.derived) continue;
    if (!isPart(graph, edge.from)) add([edge]);
    else {
      for (const inside of graph.in(edge.from)) {
        if (useTypes.has(inside.type) && !isPart(graph, inside.from)) add([inside, edge]);
      }
    }
  }
  return ways;
}

function isPart(graph: Graph, node: GraphNode): boolean {
  const kind = graph.kind(node);
  return kind === "Container" || kind === "Volume";
}

/** A template says the same as its pods: it is told where there are none. */
function dropTemplates(graph: Graph, ways: Map<GraphNode, unknown>, owners: Owners): void {
  // Users that were dropped do not come up any more, so that in a circle of owners one remains.
  for (const user of ways.keys()) {
    for (const owner of owners.of(user)) if (graph.kind(owner) !== "Pod") ways.delete(owner);
  }
}
