export {
  findCondition,
  removeCondition,
  setCondition,
  type Condition,
  type ConditionStatus,
  type ConditionUpdate,
} from "./conditions/condition.ts";
export { summarize, type SummaryRule } from "./conditions/summarize.ts";
export { Controller, type EnqueueOptions } from "./controller/controller.ts";
export type { ControllerOptions, LeaseOptions, ReconcileEvent } from "./controller/controller-options.ts";
export type { ActiveKey, ControllerState } from "./controller/controller-state.ts";
export type { BuriedLetter, DeadLetter } from "./controller/dead-letters.ts";
export type { Outcome } from "./controller/outcome.ts";
export type { Delivery, DeliverySource } from "./delivery/delivery.ts";
export type { LeaseTerms } from "./lease/held-lease.ts";
export type { LeaseGrant, LeaseStore } from "./lease/lease-store.ts";
export { MemoryLeaseStore } from "./lease/memory-lease-store.ts";
export type { LeaderElection } from "./manager/leadership.ts";
export {
  Manager,
  type ManagedControllerOptions,
  type ManagerOptions,
  type ManagerState,
} from "./manager/manager.ts";
export { RuntimeMetrics, type TrackedController } from "./controller/runtime-metrics.ts";
export { KeyBackoff, reconcileBackoff, type KeyBackoffOptions } from "./queue/key-backoff.ts";
export type { Priority } from "./queue/priority.ts";
export type { QueueObserver, QueueState } from "./queue/queue-observer.ts";
export { WorkQueue, type AddOptions, type ShutDownMode, type WorkQueueOptions } from "./queue/work-queue.ts";
export { failureReport, type FailureReport } from "./reconcile/failure-report.ts";
export {
  TerminalError,
  WaitingError,
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
  type EventHandler,
  type OwnerKind,
} from "./source/event-handler.ts";
export { informerSource, type Enqueue, type EventSource } from "./source/event-source.ts";
export type { InformerHandlerLike, InformerLike, ManagedInformer } from "./source/informer-like.ts";
export { keyOf, objectKey, parseObjectKey, type NamespacedName } from "./source/object-key.ts";
export type { ObjectLike, OwnerLike } from "./source/object-like.ts";
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  objectMatches,
  resourceVersionChanged,
  type Predicate,
} from "./source/predicate.ts";
