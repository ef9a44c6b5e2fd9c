import type { Graph, GraphNode } from "../graph/graph.ts";
import { nodeKey, sharedKinds, type NodeRef } from "../model/node.ts";

/** Who asks, of what, and what is known to be missing. */
export interface Asking {
  readonly graph: Graph;
  /** Whether the asker may see things of a kind in a namespace, which is empty for what is in none. */
  readonly canSee: (cluster: string, namespace: string, kind: string) => boolean;
  readonly coverage: readonly CoverageGap[];
}

/** What is not observed, or was not at the time that is asked about. */
export interface CoverageGap {
  readonly cluster: string;
  /** As nodes have it. */
  readonly kind: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  readonly since: string;
  /** Such as `FORBIDDEN`. */
  readonly state?: string;
  readonly message?: string;
}

/** A node as answers tell it. */
export interface SeenNode {
  /** Absent for images, users and groups, which are the same in all clusters. */
  readonly cluster?: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  /** It is referred to, and nobody has seen it. */
  readonly dangling?: true;
  /** So many of the things it says are missing, because there are too many. */
  readonly cut?: number;
}

/** In place of what the asker may not see, so that nobody takes an answer with a hole for a whole one. */
export interface Withheld {
  readonly withheld: true;
}

export type AnswerNode = SeenNode | Withheld;

export const withheld: Withheld = { withheld: true };

/** What all answers have. */
export interface AnswerFrame {
  /** How much was left out because the asker may not see it. */
  readonly withheld: number;
  /** Whether there is more than was asked for. */
  readonly truncated: boolean;
  readonly notObserved: readonly CoverageGap[];
}

export function isWithheld(node: AnswerNode): node is Withheld {
  return "withheld" in node;
}

export function maySee({ graph, canSee }: Asking, node: GraphNode): boolean {
  const kind = graph.kind(node);
  const namespace = graph.namespace(node);
  return graph.clustersOf(node).some((cluster) => canSee(cluster, namespace, objectKind(kind)));
}

/** Who sees a pod sees what is in it. */
function objectKind(kind: string): string {
  return kind === "Container" || kind === "Volume" ? "Pod" : kind;
}

export function answerNode(asking: Asking, node: GraphNode): AnswerNode {
  return maySee(asking, node) ? seenNode(asking.graph, node) : withheld;
}

/** A node by its name. Groups that everybody is in are bound by nobody, and have no node. */
export function refNode(asking: Asking, cluster: string, ref: NodeRef): AnswerNode {
  const node = asking.graph.find(cluster, ref);
  if (node !== undefined) return answerNode(asking, node);
  return asking.canSee(cluster, ref.namespace, ref.kind) ? { ...ref } : withheld;
}

function seenNode(graph: Graph, node: GraphNode): SeenNode {
  const ref = graph.ref(node);
  const cluster = graph.cluster(node);
  const uid = graph.uid(node);
  const cut = Object.values(graph.cut(node) ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    ...(cluster === undefined ? {} : { cluster }),
    ...ref,
    ...(uid === undefined ? {} : { uid }),
    ...(graph.observed(node) || sharedKinds.has(ref.kind) ? {} : { dangling: true }),
    ...(cut === 0 ? {} : { cut }),
  };
}

/** By which nodes are sorted, so that the same graph gives the same answer. */
export function sortKey(graph: Graph, node: GraphNode): string {
  return `${graph.cluster(node) ?? ""} ${nodeKey(graph.ref(node))}`;
}

/** What a question is about: gaps elsewhere do not matter to it. All clusters, namespaces or kinds where not given. */
export interface AnswerScope {
  readonly clusters?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly kinds?: ReadonlySet<string>;
}

/** The gaps that an answer may have because of what was not observed. */
export function notObserved({ coverage, canSee }: Asking, scope: AnswerScope): CoverageGap[] {
  return coverage.filter(
    ({ cluster, namespace, kind }) =>
      (scope.clusters?.includes(cluster) ?? true) &&
      (scope.kinds?.has(kind) ?? true) &&
      (namespace === "" ||
        ((scope.namespaces?.includes(namespace) ?? true) && canSee(cluster, namespace, kind))),
  );
}

/** Whether a kind is not observed there. */
export function isGap({ coverage }: Asking, cluster: string, namespace: string, kind: string): boolean {
  return coverage.some(
    (gap) =>
      gap.cluster === cluster && gap.kind === kind && (gap.namespace === "" || gap.namespace === namespace),
  );
}

/** Namespaces whose things are read by parts of Kubernetes that are no pods. */
export const systemNamespaces: ReadonlySet<string> = new Set([
  "kube-system",
  "kube-public",
  "kube-node-lease",
]);

/** Kinds that use others, or stand between a user and its workload. */
export const usingKinds: ReadonlySet<string> = new Set([
  "Pod",
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "ServiceAccount",
  "Ingress",
  "Gateway",
  "PersistentVolume",
  "PersistentVolumeClaim",
]);
