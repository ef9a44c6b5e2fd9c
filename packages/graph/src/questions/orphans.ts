import type { GraphNode } from "../graph/graph.ts";
import { sharedKinds } from "../model/node.ts";
import type { EdgeType } from "../model/object-facts.ts";
import { answerEdge, type AnswerEdge } from "./answer-edge.ts";
import {
  answerNode,
  isGap,
  maySee,
  notObserved,
  sortKey,
  usingKinds,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { exceptionOf } from "./orphan-exceptions.ts";

export interface OrphansAnswer extends AnswerFrame {
  /** Secrets, ConfigMaps, claims and ServiceAccounts that nobody uses. */
  readonly unused: readonly Orphan[];
  /** What is referred to and does not exist. */
  readonly dangling: readonly Dangling[];
  /** How many of those that nobody refers to are expected to be there, by why. */
  readonly expected: Readonly<Record<string, number>>;
  /** References to kinds that are not observed: nobody knows whether what they name exists. */
  readonly unknown: number;
}

export interface Orphan {
  readonly node: AnswerNode;
  /** A ServiceAccount that no pod runs as, but that has rights: its token may be in use elsewhere. */
  readonly bound?: true;
}

export interface Dangling {
  readonly node: AnswerNode;
  readonly references: readonly {
    readonly from: AnswerNode;
    readonly edge: AnswerEdge;
    readonly optional: boolean;
  }[];
  /** All who refer to it go without. */
  readonly optional: boolean;
}

/** By which edges things are used. */
const usedBy: Readonly<Record<string, EdgeType>> = {
  Secret: "USES_SECRET",
  ConfigMap: "USES_CONFIGMAP",
  PersistentVolumeClaim: "BACKED_BY",
  ServiceAccount: "RUNS_AS",
};

/** Kinds that are observed in every cluster; others are only where one of them was seen. */
const observedKinds: ReadonlySet<string> = new Set([
  ...Object.keys(usedBy),
  "PersistentVolume",
  "Service",
  "Role",
  "ClusterRole",
  "Node",
  "Pod",
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
]);

const referencesTold = 20;

export interface OrphansOptions {
  readonly limit?: number | undefined;
  readonly namespace?: string | undefined;
}

export function orphans(asking: Asking, { limit = 1_000, namespace }: OrphansOptions = {}): OrphansAnswer {
  const expected: Record<string, number> = {};
  const unused = Object.keys(usedBy).flatMap((kind) => unusedOf(asking, { kind, namespace }, expected));
  const { missing, unknown } = missingNodes(asking, namespace);
  const told = { unused: ordered(asking, unused), dangling: ordered(asking, missing) };
  const hidden = [...unused, ...missing].filter((node) => !maySee(asking, node)).length;
  return {
    unused: told.unused.slice(0, limit).map((node) => orphan(asking, node)),
    dangling: told.dangling.slice(0, limit).map((node) => dangling(asking, node)),
    expected,
    unknown,
    withheld: hidden,
    truncated: told.unused.length > limit || told.dangling.length > limit,
    notObserved: notObserved(asking, {
      ...(namespace === undefined ? {} : { namespaces: [namespace] }),
      kinds: new Set([...usingKinds, ...observedKinds]),
    }),
  };
}

/** In the order of names, without those that one may not see. */
function ordered(asking: Asking, nodes: readonly GraphNode[]): GraphNode[] {
  return nodes
    .filter((node) => maySee(asking, node))
    .map((node) => [sortKey(asking.graph, node), node] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, node]) => node);
}

function unusedOf(
  asking: Asking,
  { kind, namespace }: { readonly kind: string; readonly namespace: string | undefined },
  expected: Record<string, number>,
): GraphNode[] {
  const { graph } = asking;
  return [...graph.nodes(kind, namespace)].filter((node) => {
    if (!graph.observed(node) || graph.in(node).some(({ type }) => type === usedBy[kind])) return false;
    const exception = exceptionOf(graph, node);
    if (exception !== undefined) expected[exception] = (expected[exception] ?? 0) + 1;
    return exception === undefined;
  });
}

function missingNodes(
  asking: Asking,
  namespace: string | undefined,
): { readonly missing: GraphNode[]; readonly unknown: number } {
  const { graph } = asking;
  const missing: GraphNode[] = [];
  let unknown = 0;
  for (const [cluster, own] of graph.entries()) {
    for (const kind of own.kinds()) {
      if (sharedKinds.has(kind)) continue;
      const nodes = [...own.nodes(kind)];
      const isObserved = observedKinds.has(kind) || nodes.some((node) => own.observed(node));
      for (const node of nodes) {
        if (own.observed(node)) continue;
        if (namespace !== undefined && own.namespace(node) !== namespace) continue;
        if (!isObserved || isGap(asking, cluster, own.namespace(node), kind)) unknown += 1;
        else missing.push(graph.nodeIn(cluster, node));
      }
    }
  }
  return { missing, unknown };
}

function orphan(asking: Asking, node: GraphNode): Orphan {
  const isBound = asking.graph.in(node).some(({ type }) => type === "BINDS");
  return { node: answerNode(asking, node), ...(isBound ? { bound: true } : {}) };
}

function dangling(asking: Asking, node: GraphNode): Dangling {
  const { graph } = asking;
  const edges = [...graph.in(node), ...graph.out(node)];
  const isOptional = edges.map(({ properties }) => properties["optional"] === true);
  return {
    node: answerNode(asking, node),
    references: edges.slice(0, referencesTold).map((edge, index) => ({
      from: answerNode(asking, edge.from === node ? edge.to : edge.from),
      edge: answerEdge(asking, edge),
      optional: isOptional[index] ?? false,
    })),
    optional: isOptional.every(Boolean),
  };
}
