import type { Cluster } from "@bowline/api";

/** A workload that does not go in this time goes with the machines that it runs on. */
const drainMs = 10 * 60_000;

/**
 * For how much longer the workloads of a cluster that is being deleted are removed from it, so that what they have made
 * outside goes with them; 0 where nobody waits for that: the cluster stays as it is, or cannot be reached.
 */
export function drainLeftMs({ metadata, spec, status }: Cluster, nowMs: number): number {
  const { deletedAt } = metadata;
  const stays = spec.provider === "existing" || spec.deletionPolicy === "orphan";
  if (deletedAt === undefined || stays || status.agent?.connectedSince === undefined) return 0;
  return Math.max(0, Date.parse(deletedAt) + drainMs - nowMs);
}
