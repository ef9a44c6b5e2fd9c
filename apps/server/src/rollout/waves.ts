import type { Rollout } from "@bowline/api";
import { labelRequirementsOf, matchesLabels } from "@bowline/core";

/** A cluster of an instance, as a rollout sees it. */
export interface RolloutCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isConnected: boolean;
  /** Its placement says what the instance wants now. */
  readonly hasChange: boolean;
  /** And that is applied and healthy. */
  readonly isReady: boolean;
  /** Why it cannot get the change, whatever its wave. */
  readonly wait?: { readonly reason: string; readonly message: string } | undefined;
}

/**
 * The wave of each cluster, counted from 1. Clusters are taken by their names, so that the same clusters are always in
 * the same waves; those that no wave takes are in one more.
 */
export function waveOf(
  waves: Rollout["waves"],
  clusters: readonly Pick<RolloutCluster, "name" | "labels">[],
): Map<string, number> {
  const wave = new Map<string, number>();
  let rest = clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  waves.forEach((each, index) => {
    const taken = new Set(takenBy(each, rest, clusters.length));
    for (const { name } of taken) wave.set(name, index + 1);
    rest = rest.filter((cluster) => !taken.has(cluster));
  });
  for (const { name } of rest) wave.set(name, waves.length + 1);
  return wave;
}

function takenBy<C extends Pick<RolloutCluster, "labels">>(
  { clusters: { selector, percent, count } }: Rollout["waves"][number],
  rest: readonly C[],
  total: number,
): readonly C[] {
  if (selector !== undefined) {
    const requirements = labelRequirementsOf(selector);
    return rest.filter(({ labels }) => matchesLabels(requirements, labels));
  }
  return rest.slice(0, count ?? Math.ceil(((percent ?? 0) * total) / 100));
}
