/** @public For the controller of placements. */
export type { EngineOptions } from "./cluster/engine-context.ts";
/** @public For the controller of placements. */
export {
  judgeCorrection,
  noCorrections,
  withCorrection,
  type CorrectionHistory,
  type CorrectionVerdict,
} from "./correct/correction-history.ts";
export { maskedSecret } from "./diff/shown-object.ts";
/** @public For the controller of placements. */
export { objectReasons } from "./object-result.ts";
/** @public For the controller of placements. */
export type {
  CorrectResult,
  DiffResult,
  FieldOwner,
  HeldPrune,
  HookResult,
  ObjectDifference,
  ObjectReason,
  ObjectResult,
  ObjectState,
  ReconcileResult,
  RemoveResult,
} from "./object-result.ts";
/** @public For the controller of placements. */
export type { ReportedObject } from "./order/gate.ts";
/** @public For the controller of placements. */
export {
  WorkloadEngine,
  type HookOptions,
  type ReadReports,
  type ReconcileOptions,
  type RunOptions,
} from "./workload-engine.ts";
/** @public For the controller of placements. */
export { fieldManager, instanceLabel } from "./workload.ts";
/** @public For the controller of placements. */
export type { ConflictPolicy, IgnoreRule, PruneLimit, Workload, WorkloadPolicy } from "./workload.ts";
export { heldPrune } from "./prune/prune-guard.ts";
