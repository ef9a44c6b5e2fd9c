import type { Kind, ObjectOf } from "@bowline/api";
import type { ReconcileResult } from "@bowline/runtime";

import type { ObjectTask } from "./object-task.ts";

/** What acts on the objects of one kind. */
export interface ObjectReconciler<K extends Kind> {
  readonly kind: K;
  /** How many objects are worked on at the same time; 16 by default. */
  readonly concurrency?: number;
  /** How long one attempt may take; 2 minutes by default. */
  readonly timeLimitMs?: number;
  /**
   * Brings one object to its desired state, as `Reconciler` of `@bowline/runtime` says. The object is as it was when the
   * work began; one that is being deleted has `deletedAt`, and goes when its finalizers are removed. When it resolves,
   * the generation counts as observed.
   */
  reconcile(object: ObjectOf<K>, task: ObjectTask<K>): Promise<ReconcileResult>;
}
