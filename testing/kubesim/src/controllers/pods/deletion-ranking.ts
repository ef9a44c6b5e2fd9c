import type { Pod } from "../kinds/pod.ts";
import { parseTimestamp } from "../timestamps.ts";
import { readySinceMs, restartsOf } from "./pod-state.ts";

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Which pods go first when there are too many: the ones that serve least. Not bound before bound, pending before
 * running, not ready before ready, low deletion cost first, where siblings crowd a node, then what was ready, or made,
 * last. `relatedOnNode` counts the siblings on a pod's node.
 */
export function rankForDeletion(pods: readonly Pod[], relatedOnNode: (pod: Pod) => number): Pod[] {
  const ranks = pods.map((pod) => ({ pod, rank: rankOf(pod, relatedOnNode(pod)) }));
  ranks.sort((a, b) => compareRanks(a.rank, b.rank));
  return ranks.map(({ pod }) => pod);
}

/** In order of weight; the smaller number goes first. */
function rankOf(pod: Pod, related: number): readonly number[] {
  const readySince = readySinceMs(pod);
  return [
    pod.spec.nodeName === undefined ? 0 : 1,
    phaseRank[pod.status?.phase ?? "Pending"] ?? 0,
    readySince === undefined ? 0 : 1,
    Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0,
    -related,
    -(readySince ?? 0),
    -restartsOf(pod),
    -(parseTimestamp(pod.metadata.creationTimestamp) ?? 0),
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
