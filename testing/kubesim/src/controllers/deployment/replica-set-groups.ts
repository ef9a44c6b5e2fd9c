import type { Deployment, ReplicaSet } from "../kinds/workloads.ts";
import { sameTemplate } from "../pods/pod-template.ts";
import { replicasOf } from "./deployment-strategy.ts";

/** A Deployment's ReplicaSets: the one with its current template, and all others from the oldest on. */
export interface ReplicaSetGroups {
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

export function groupReplicaSets(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): ReplicaSetGroups {
  const sorted = replicaSets.toSorted(byAge);
  const newest = sorted.find((each) => sameTemplate(each.spec.template, deployment.spec.template));
  return { newest, old: sorted.filter((each) => each !== newest) };
}

export function allOf({ newest, old }: ReplicaSetGroups): readonly ReplicaSet[] {
  return newest === undefined ? old : [...old, newest];
}

export function wantedPods(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets, replicasOf);
}

export function availablePods(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets, (each) => each.status?.availableReplicas ?? 0);
}

export function sum(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((total, each) => total + count(each), 0);
}

export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  return (
    compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compare(a.metadata.name, b.metadata.name)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
