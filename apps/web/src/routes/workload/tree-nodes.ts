import type { ClusterTree, TreeResource, WorkloadPlacement } from "@bowline/api";

import { healthRank } from "../../ui/health-mark.tsx";

type PlacedResource = WorkloadPlacement["status"]["resources"][number];

/** An object of a workload, what became of applying it, and what it owns. */
export interface TreeNode {
  readonly key: string;
  readonly resource: TreeResource;
  /** Of objects of the manifests: how far they got. */
  readonly placed: PlacedResource | undefined;
  readonly children: readonly TreeNode[];
}

/**
 * The objects of a cluster as a tree. The list has each before those that it owns; one whose owner was left off stands
 * at the top, so that nothing is lost.
 */
export function treeNodes(
  tree: Pick<ClusterTree, "resources">,
  placed: readonly PlacedResource[],
): TreeNode[] {
  const byAddress = new Map(placed.map((resource) => [addressOf(resource), resource]));
  const childrenOf = new Map<string, TreeNode[]>();
  const roots: TreeNode[] = [];
  for (const resource of tree.resources) {
    const children: TreeNode[] = [];
    const address = addressOf(resource);
    const node = { key: resource.uid ?? address, resource, placed: byAddress.get(address), children };
    if (resource.uid !== undefined) childrenOf.set(resource.uid, children);
    const siblings = resource.ownerUid === undefined ? roots : (childrenOf.get(resource.ownerUid) ?? roots);
    siblings.push(node);
  }
  return roots;
}

function addressOf({
  group,
  kind,
  namespace = "",
  name,
}: Pick<TreeResource, "group" | "kind" | "namespace" | "name">): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** The objects that are the cause of trouble: those in trouble of whose parts none is, the worst first. */
export function causesIn(nodes: readonly TreeNode[]): TreeNode[] {
  const found: TreeNode[] = [];
  const walk = (node: TreeNode): boolean => {
    const isBelow = node.children.map(walk).some(Boolean);
    const isFailed = node.placed?.state === "failed" || node.placed?.state === "contested";
    const isTrouble = isFailed || healthRank[node.resource.health] < healthRank.Suspended;
    if ((isTrouble && !isBelow) || isFailed) found.push(node);
    return isTrouble || isBelow;
  };
  nodes.forEach(walk);
  return found.toSorted((a, b) => healthRank[a.resource.health] - healthRank[b.resource.health]);
}

/** Whether pods, which have logs and shells, are of this kind. */
export function isPod({ group, kind }: Pick<TreeResource, "group" | "kind">): boolean {
  return group === "" && kind === "Pod";
}

/** Kinds that say by a selector which pods are theirs. */
const selectingKinds: ReadonlySet<string> = new Set([
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "ReplicaSet",
  "ReplicationController",
  "Job",
]);

/** What to follow to have the logs of all pods: those that select pods, as far up as possible, and pods of nobody. */
export function logOwners(nodes: readonly TreeNode[]): TreeResource[] {
  return nodes.flatMap(({ resource, children }) =>
    isPod(resource) || selectingKinds.has(resource.kind) ? [resource] : logOwners(children),
  );
}
