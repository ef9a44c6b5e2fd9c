import type { BowlineError } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";
import type { ClusterObject } from "@bowline/store";

/**
 * - `applied`: in the cluster as the revision says
 * - `waiting`: not there yet, for a reason that passes by itself
 * - `failed`: refused, for a reason that somebody has to end
 * - `kept`: not in the revision any more, stays in the cluster and stays the instance's
 * - `held`: would be deleted, but waits for an approval, or for everything else to be applied
 * - `deleting`: is being deleted
 * - `pruned`: gone
 * - `released`: not the instance's any more, and not deleted
 */
export type ObjectState =
  | "applied"
  | "waiting"
  | "failed"
  | "kept"
  | "held"
  | "deleting"
  | "pruned"
  | "released";

/** Why an object is in its state; docs/reference/workload-reasons.md has a line for each. */
export const objectReasons = [
  "RenderFailed",
  "UnknownKind",
  "OwnedByOther",
  "FieldConflict",
  "ImmutableField",
  "Invalid",
  "Forbidden",
  "NotGranted",
  "NamespaceMissing",
  "NamespaceTerminating",
  "NotEstablished",
  "QuotaExceeded",
  "AdmissionDenied",
  "TooLarge",
  "Refused",
  "Unavailable",
  "Recreating",
  "BeingDeleted",
  "WaitingForHealth",
  "WaitingForHook",
  "HookRunning",
  "HookFailed",
  "HookLost",
  "PruneHeld",
  "PruneWaits",
  "PruneDisabled",
  "PruneProtected",
  "Replaced",
  "Moved",
  "Retained",
] as const;

export type ObjectReason = (typeof objectReasons)[number];

/** A field that is somebody else's. */
export interface FieldOwner {
  readonly manager: string;
  readonly field: string;
}

/** Why an object is not as it should be. */
export interface ObjectProblem {
  readonly reason: ObjectReason;
  /** One sentence that says what to do. */
  readonly message: string;
  readonly conflicts?: readonly FieldOwner[] | undefined;
}

export interface ObjectResult extends ClusterObject, Partial<ObjectProblem> {
  readonly version: string;
  readonly uid?: string | undefined;
  readonly digest?: string | undefined;
  readonly state: ObjectState;
  /** A request that changes something was sent for it in this run. */
  readonly isWritten: boolean;
  /** What was sent is not what was there before, so how it did then says nothing. */
  readonly isChanged?: boolean | undefined;
}

/** A prune that is larger than the limit. */
export interface HeldPrune {
  readonly count: number;
  readonly total: number;
  readonly limit: number;
}

export interface ReconcileResult {
  /** One for each object of the revision and of the inventory, sorted. */
  readonly objects: readonly ObjectResult[];
  /** Everything of the revision is in the cluster. */
  readonly isApplied: boolean;
  /** Nothing that should go is still there. */
  readonly isPruned: boolean;
  readonly held?: HeldPrune | undefined;
  /** Come back soon: to be thrown after the status was written. */
  readonly retry?: BowlineError | undefined;
}

export interface RemoveResult {
  readonly objects: readonly ObjectResult[];
  /** The instance has nothing left in this cluster. */
  readonly isGone: boolean;
  readonly retry?: BowlineError | undefined;
}

export interface HookResult {
  /** One for each hook and each object of the inventory, sorted. */
  readonly objects: readonly ObjectResult[];
  /** Nothing has to be waited for. */
  readonly isDone: boolean;
  /** When the first hook was made; wall clock. */
  readonly startedAtMs?: number | undefined;
  readonly retry?: BowlineError | undefined;
}

export interface CorrectResult {
  /**
   * - `unchanged`: it is as it was applied
   * - `corrected`: it was set right
   * - `failed`: it could not be; the object says why
   * - `unknown`: it is not ours, or another content is on its way
   */
  readonly outcome: "unchanged" | "corrected" | "failed" | "unknown";
  readonly object?: ObjectResult | undefined;
  /** The managers who changed it, as far as the cluster tells. */
  readonly changedBy: readonly string[];
  /** It failed for a reason that passes by itself. */
  readonly retry?: BowlineError | undefined;
}

/** What would become of an object. `before` and `after` are without what only the cluster writes; values of Secrets are masked. */
export interface ObjectDifference extends ClusterObject, Partial<ObjectProblem> {
  readonly version: string;
  readonly change: "created" | "changed" | "unchanged" | "pruned" | "kept" | "refused";
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

export interface DiffResult {
  readonly objects: readonly ObjectDifference[];
  readonly held?: HeldPrune | undefined;
  readonly retry?: BowlineError | undefined;
}
