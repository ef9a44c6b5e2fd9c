export {
  findCondition,
  removeCondition,
  setCondition,
  summarize,
  type Condition,
  type ConditionStatus,
  type ConditionUpdate,
  type SummaryRule,
} from "./reconcile/conditions.ts";
export { Controller, type EnqueueOptions } from "./controller/controller.ts";
export type { ControllerOptions, LeaseOptions, ReconcileEvent } from "./controller/controller-options.ts";
export type {
  ActiveKey,
  RecordedDeadLetter,
  ControllerState,
  DeadLetter,
} from "./controller/controller-state.ts";
export type { Outcome } from "./controller/outcome.ts";
export type { Delivery, DeliverySource } from "./controller/deliveries.ts";
export type { LeaseGrant, LeaseStore, LeaseTerms } from "./controller/held-lease.ts";
export type { LeaderElection } from "./manager/leadership.ts";
export {
  Manager,
  type ManagedControllerOptions,
  type ManagerOptions,
  type ManagerState,
} from "./manager/manager.ts";
export { RuntimeMetrics, type TrackedController } from "./controller/runtime-metrics.ts";
export { KeyBackoff, reconcileBackoff, type KeyBackoffOptions } from "./queue/key-backoff.ts";
export type { Priority } from "./queue/queue-entry.ts";
export type { QueueObserver, QueueState } from "./queue/queue-observer.ts";
export { WorkQueue, type AddOptions, type ShutDownMode, type WorkQueueOptions } from "./queue/work-queue.ts";
export {
  failureReport,
  TerminalError,
  WaitingError,
  type FailureReport,
  type ReconcileErrorOptions,
  type Reporting,
  type WaitingErrorOptions,
} from "./reconcile/reconcile-error.ts";
export {
  done,
  requeueAfter,
  type ReconcileContext,
  type ReconcileLease,
  type Reconciler,
  type ReconcileRequest,
  type ReconcileResult,
} from "./reconcile/reconciler.ts";
export {
  enqueueMapped,
  enqueueOwner,
  enqueueSelf,
  informerSource,
  type Enqueue,
  type EventHandler,
  type EventSource,
  type InformerHandlerLike,
  type InformerLike,
  type ManagedInformer,
  type OwnerKind,
} from "./manager/event-source.ts";
export {
  keyOf,
  objectKey,
  parseObjectKey,
  type NamespacedName,
  type ObjectLike,
  type OwnerLike,
} from "./manager/object-key.ts";
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  objectMatches,
  resourceVersionChanged,
  type Predicate,
} from "./manager/predicate.ts";
