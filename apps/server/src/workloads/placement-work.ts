import type { Cluster, ObjectOf, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { findCondition } from "@bowline/runtime";

import type { ObjectTask } from "../controllers/object-task.ts";
import type { PlacementStatus } from "./placement-status.ts";

export type Placement = ObjectOf<typeof WorkloadPlacement>;
export type PlacementTask = ObjectTask<typeof WorkloadPlacement>;

/** One placement and what belongs to it, as it was when the work began. */
export interface PlacedWork {
  readonly placement: Placement;
  readonly instance: WorkloadInstance;
  readonly cluster: Cluster;
}

export interface Work extends PlacedWork {
  readonly task: PlacementTask;
}

/** How soon it is tried again what a cluster refused: somebody may have mended it there, which nobody tells. */
export const retryFailedMs = 3 * 60_000;

/** Whether the placement says for this reason how far its current generation is. */
export function hasReason({ metadata, status }: Placement, reason: string): boolean {
  const applied = findCondition(status.conditions, "Applied");
  return applied?.reason === reason && applied.observedGeneration === metadata.generation;
}

/** Whether a condition holds for the current generation. */
export function isTrue({ metadata, status }: Placement, type: string): boolean {
  const condition = findCondition(status.conditions, type);
  return isTrueIn(status, type) && condition?.observedGeneration === metadata.generation;
}

export function isTrueIn({ conditions }: PlacementStatus, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}
