import { labelRequirementsOf, matchesLabels } from "@bowline/core";

import type { Rollout } from "./rollout.ts";

/** As much of a cluster as decides about its wave. */
export interface WaveCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The wave of each cluster, counted from 1. Clusters are taken by their names, so that the same clusters are always in
 * the same waves; those that no wave takes are in one more.
 */
export function waveOf(waves: Rollout["waves"], clusters: readonly WaveCluster[]): Map<string, number> {
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

function takenBy(
  { clusters: { selector, percent, count } }: Rollout["waves"][number],
  rest: readonly WaveCluster[],
  total: number,
): readonly WaveCluster[] {
  if (selector !== undefined) {
    const requirements = labelRequirementsOf(selector);
    return rest.filter(({ labels }) => matchesLabels(requirements, labels));
  }
  return rest.slice(0, count ?? Math.ceil(((percent ?? 0) * total) / 100));
}
