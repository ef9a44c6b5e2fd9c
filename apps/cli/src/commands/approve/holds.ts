import type { WorkloadInstance, WorkloadPlacement } from "@bowline/api";

import { resourceLabel } from "../../workloads/rollout.ts";

/** Something that waits until somebody agrees to it. */
export interface Hold {
  /** `WaitingForApproval`, `PlacementHeld` or `PruneHeld`. */
  readonly reason: string;
  /** Of a prune, which is held in each cluster by itself. */
  readonly cluster?: string;
  readonly message: string;
  /** Resources that would be deleted, the first of them. */
  readonly resources: readonly string[];
  readonly resourceCount: number;
}

/** Nobody reads more; the count tells of the others. */
const maxResources = 50;

const heldByInstance: ReadonlySet<string> = new Set(["WaitingForApproval", "PlacementHeld"]);

/** Everything that an instance holds back, in itself and in its clusters. */
export function heldIn(instance: WorkloadInstance, placements: readonly WorkloadPlacement[]): Hold[] {
  const ready = instance.status.conditions.find(({ type }) => type === "Ready");
  const own: Hold[] =
    ready !== undefined && ready.status === "False" && heldByInstance.has(ready.reason)
      ? [{ reason: ready.reason, message: ready.message, resources: [], resourceCount: 0 }]
      : [];
  const prunes = placements.flatMap(heldPrune);
  return [...own, ...prunes.toSorted((a, b) => ((a.cluster ?? "") < (b.cluster ?? "") ? -1 : 1))];
}

function heldPrune({ spec, status }: WorkloadPlacement): Hold[] {
  const applied = status.conditions.find(({ type }) => type === "Applied");
  if (applied?.status !== "False" || applied.reason !== "PruneHeld") return [];
  const held = status.resources.filter(({ state }) => state === "held").map(resourceLabel);
  return [
    {
      reason: applied.reason,
      cluster: spec.cluster,
      message: applied.message,
      resources: held.slice(0, maxResources),
      resourceCount: held.length,
    },
  ];
}
