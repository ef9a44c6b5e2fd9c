export {
  findCondition,
  removeCondition,
  setCondition,
  summarize,
  type Condition,
  type ConditionUpdate,
} from "./reconcile/conditions.ts";
export { Controller } from "./controller/controller.ts";
export type { LeaseOptions, ReconcileEvent } from "./controller/controller-options.ts";
export type { ControllerState, DeadLetter } from "./controller/controller-state.ts";
export type { Delivery, DeliverySource } from "./controller/deliveries.ts";
export type { LeaseGrant, LeaseStore } from "./controller/held-lease.ts";
export type { LeaderElection } from "./manager/leadership.ts";
export { Manager } from "./manager/manager.ts";
export { RuntimeMetrics } from "./controller/runtime-metrics.ts";
export { failureReport, TerminalError, WaitingError } from "./reconcile/reconcile-error.ts";
export {
  done,
  requeueAfter,
  type ReconcileContext,
  type Reconciler,
  type ReconcileRequest,
  type ReconcileResult,
} from "./reconcile/reconciler.ts";
export {
  enqueueOwner,
  enqueueSelf,
  informerSource,
  type Enqueue,
  type EventHandler,
  type EventSource,
  type InformerHandlerLike,
  type InformerLike,
  type ManagedInformer,
} from "./manager/event-source.ts";
export {
  keyOf,
  objectKey,
  parseObjectKey,
  type NamespacedName,
  type ObjectLike,
} from "./manager/object-key.ts";
export { anyOf, generationChanged, labelsChanged, type Predicate } from "./manager/predicate.ts";
