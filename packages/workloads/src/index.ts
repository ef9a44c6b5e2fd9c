/** @public For the controller of placements. */
export type { EngineOptions } from "./cluster/engine-context.ts";
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
export { WorkloadEngine, type ReconcileOptions, type RunOptions } from "./workload-engine.ts";
/** @public For the controller of placements. */
export { fieldManager, instanceLabel } from "./workload.ts";
/** @public For the controller of placements. */
export type { ConflictPolicy, IgnoreRule, PruneLimit, Workload, WorkloadPolicy } from "./workload.ts";
