import type { Deployment, ReplicaSet } from "../kinds/workloads.ts";
import { maxReplicasOf } from "./deployment-annotations.ts";
import { isRolling, maxSurge, maxUnavailable, replicasOf } from "./deployment-strategy.ts";
import { allOf, availablePods, byAge, wantedPods, type ReplicaSetGroups } from "./replica-set-groups.ts";

/** A ReplicaSet and the size it should have. */
export interface Resize {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/** How many pods the new ReplicaSet may have now. */
export function newReplicaSetSize(deployment: Deployment, groups: ReplicaSetGroups): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const current = groups.newest === undefined ? 0 : replicasOf(groups.newest);
  if (current >= wanted) return wanted;
  const room = wanted + maxSurge(deployment) - wantedPods(allOf(groups));
  return current + Math.max(0, Math.min(room, wanted - current));
}

/**
 * Which old ReplicaSets shrink now, so that enough pods stay available: first those whose pods do not work, then the
 * oldest.
 */
export function shrinkOld(deployment: Deployment, groups: ReplicaSetGroups): Resize[] {
  const all = allOf(groups);
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable =
    groups.newest === undefined
      ? 0
      : replicasOf(groups.newest) - (groups.newest.status?.availableReplicas ?? 0);
  const maxShrink = wantedPods(all) - minAvailable - newUnavailable;
  if (wantedPods(groups.old) === 0 || maxShrink <= 0) return [];

  const sizes = new Map(groups.old.map((each) => [each, replicasOf(each)]));
  let unhealthyLeft = maxShrink;
  for (const replicaSet of groups.old) {
    const size = replicasOf(replicaSet);
    const count = Math.min(unhealthyLeft, size - Math.min(size, replicaSet.status?.availableReplicas ?? 0));
    sizes.set(replicaSet, size - count);
    unhealthyLeft -= count;
  }
  let spare = availablePods(all) - minAvailable;
  for (const replicaSet of groups.old) {
    const size = sizes.get(replicaSet) ?? 0;
    const count = Math.max(0, Math.min(size, spare));
    sizes.set(replicaSet, size - count);
    spare -= count;
  }
  return [...sizes].map(([replicaSet, replicas]) => ({ replicaSet, replicas })).filter(isChange);
}

/**
 * Sizes after a change of scale in the middle of a rollout: what is added or taken is shared out among the ReplicaSets
 * by their size, so that a rollout keeps its proportions.
 */
export function rescale(deployment: Deployment, groups: ReplicaSetGroups): Resize[] {
  const wanted = replicasOf(deployment);
  const all = allOf(groups);
  const active = all.filter((each) => replicasOf(each) > 0);
  const single = active.length > 1 ? undefined : (active[0] ?? groups.newest ?? all.toSorted(byAge).at(-1));
  if (single !== undefined) return [{ replicaSet: single, replicas: wanted }].filter(isChange);
  if (isSaturated(deployment, groups.newest)) {
    return groups.old.map((replicaSet) => ({ replicaSet, replicas: 0 })).filter(isChange);
  }
  return isRolling(deployment) ? shareOut(deployment, active).filter(isChange) : [];
}

function shareOut(deployment: Deployment, active: readonly ReplicaSet[]): Resize[] {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const change = allowed - wantedPods(active);
  // The largest first; among equals the newest grows first and the oldest shrinks first.
  const bySize = active.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)),
  );
  let done = 0;
  const resizes = bySize.map((replicaSet) => {
    const left = change - done;
    const share = clampTowards(fairShare(replicaSet, wanted, deployment), left);
    done += share;
    return { replicaSet, replicas: replicasOf(replicaSet) + share };
  });
  const [first, ...others] = resizes;
  if (first === undefined) return [];
  return [{ ...first, replicas: Math.max(0, first.replicas + change - done) }, ...others];
}

/** What a ReplicaSet would gain or lose if the whole Deployment grew in proportion. */
function fairShare(replicaSet: ReplicaSet, wanted: number, deployment: Deployment): number {
  const size = replicasOf(replicaSet);
  if (wanted === 0) return -size;
  const before = maxReplicasOf(replicaSet) ?? deployment.status?.replicas ?? 0;
  if (before === 0) return 0;
  return Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}

function clampTowards(share: number, left: number): number {
  return left >= 0 ? Math.max(0, Math.min(share, left)) : Math.min(0, Math.max(share, left));
}

function isSaturated(deployment: Deployment, newest: ReplicaSet | undefined): boolean {
  const wanted = replicasOf(deployment);
  return (
    newest !== undefined &&
    replicasOf(newest) === wanted &&
    (newest.status?.availableReplicas ?? 0) === wanted
  );
}

function isChange({ replicaSet, replicas }: Resize): boolean {
  return replicas !== replicasOf(replicaSet);
}
