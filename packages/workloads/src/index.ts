/** @public For the controller of placements. */
export type {
  FieldOwner,
  HeldPrune,
  ObjectReason,
  ObjectResult,
  ObjectState,
  ReconcileResult,
  RemoveResult,
} from "./object-result.ts";
/** @public For the controller of placements. */
export type { ConflictPolicy, IgnoreRule, PruneLimit, Workload, WorkloadPolicy } from "./workload.ts";
