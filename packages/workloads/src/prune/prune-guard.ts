import type { HeldPrune } from "../object-result.ts";
import type { WorkloadPolicy } from "../workload.ts";

interface PruneCounts {
  /** Objects that would be deleted. */
  readonly going: number;
  /** Objects that the instance has in the cluster, with those. */
  readonly total: number;
  /** Objects of the revision. */
  readonly wanted: number;
}

/**
 * Holds a prune that looks like an accident: nothing would be left, or more than the limit would go. Emptied folders and
 * selectors that match nothing have deleted more than any attacker.
 */
export function heldPrune(
  { going, total, wanted }: PruneCounts,
  { pruneLimit, isPruneApproved }: Pick<WorkloadPolicy, "pruneLimit" | "isPruneApproved">,
): HeldPrune | undefined {
  if (going === 0 || isPruneApproved) return undefined;
  const limit = Math.max(pruneLimit.count, Math.floor((total * pruneLimit.percent) / 100));
  return wanted === 0 || going > limit ? { count: going, total, limit } : undefined;
}
