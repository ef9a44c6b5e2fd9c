import type { Kind } from "@bowline/api";
import type { Clock, Logger, Random } from "@bowline/core";
import {
  Controller,
  failureReport,
  type DeliverySource,
  type LeaseOptions,
  type ReconcileEvent,
  type RuntimeMetrics,
  type Reconciler,
} from "@bowline/runtime";
import type { Change, Store } from "@bowline/store";

import type { ObjectReconciler } from "./object-task.ts";
import { ObjectWorker } from "./object-worker.ts";

/**
 * Everything a reconciler may work with besides the object.
 *
 * @public The controllers of workloads are made with it.
 */
export interface ReconcilerHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface ControllerHost extends ReconcilerHost {
  /** Where keys come from NATS; without it, they are given to the controller. */
  readonly deliveries?: DeliverySource | undefined;
  readonly metrics?: RuntimeMetrics | undefined;
  /** Where several replicas share the work. */
  readonly leases?: LeaseOptions | undefined;
}

const defaultConcurrency = 16;

/** The controller of a kind, whatever kind that is. */
export interface ObjectController {
  readonly kind: Kind;
  readonly watches: readonly ObjectWatch[];
  create(host: ControllerHost): Controller;
}

/** Everything a watch may look at besides the change. */
export interface WatchContext {
  readonly store: Store;
  /** The changes that a watch is asked about one after the other: a key to what was read for all of them. */
  readonly batch: readonly Change[];
}

/**
 * A kind whose changes give a controller work, beside new generations of its own objects.
 *
 * @public The controllers of workloads have them.
 */
export interface ObjectWatch {
  /** The kind to follow; its own where changes of the status matter. */
  readonly kind: Kind;
  /**
   * Names of the objects of the controller's kind that a change has to do with. It is asked about every change: of the
   * spec, of the status alone, of labels, and of a deletion, with the object as it was last; `change.previous` has it as
   * it was before, if that is still known. Names of objects that are not there do no harm. What it throws is tried again
   * and holds up the changes behind it, and several replicas ask for the same change.
   */
  namesOf(change: Change, context: WatchContext): Promise<readonly string[]> | readonly string[];
}

interface ControllerSettings<K extends Kind> {
  readonly kind: K;
  /** After a start, and whenever such changes may have been missed, all objects of the controller's kind are looked at. */
  readonly watches?: readonly ObjectWatch[];
  /** How many objects are worked on at the same time; 16 by default. */
  readonly concurrency?: number;
  /** How long one attempt may take; 2 minutes by default. */
  readonly timeLimitMs?: number;
}

/** What acts on the objects of a kind: the reconciler itself or, for one that needs more than its object, how to make it. */
export type ControllerDefinition<K extends Kind> = ControllerSettings<K> &
  (ObjectReconciler<K> | { reconciler(host: ReconcilerHost): ObjectReconciler<K> });

/** Makes a controller of what acts on the objects of a kind. */
export function objectController<K extends Kind>(definition: ControllerDefinition<K>): ObjectController {
  const { kind, watches = [] } = definition;
  return { kind, watches, create: (host) => createController(definition, host) };
}

function createController<K extends Kind>(
  definition: ControllerDefinition<K>,
  host: ControllerHost,
): Controller {
  const { clock, random, deliveries, logger, metrics, leases } = host;
  const { kind, concurrency = defaultConcurrency, timeLimitMs } = definition;
  const log = logger.child({ controller: kind.singular });
  const reconciler =
    "reconciler" in definition ? definition.reconciler({ ...host, logger: log }) : definition;
  const worker = new ObjectWorker(kind, reconciler, host);
  return new Controller({
    name: kind.singular,
    reconciler: loggedReconciler(worker, log),
    clock,
    random,
    concurrency,
    onDeadLetter: (deadLetter, context) => worker.reportDeadLetter(deadLetter, context),
    onReconciled: (event) => {
      worker.forget(event.key);
      logOutcome(log, event);
    },
    onError: (error) => log.warn({ err: error }, "Will be tried again"),
    ...(deliveries === undefined ? {} : { deliveries }),
    ...(timeLimitMs === undefined ? {} : { timeLimitMs }),
    ...(leases === undefined ? {} : { leases }),
    ...(metrics === undefined ? {} : { metrics }),
  });
}

function logOutcome(log: Logger, { key, attempt, outcome, durationMs }: ReconcileEvent): void {
  if (outcome.kind !== "failed" && outcome.kind !== "terminal") return;
  const { logLevel } = failureReport(outcome.error);
  if (logLevel !== "silent")
    log[logLevel]({ key, attempt, durationMs, err: outcome.error }, "Reconcile failed");
}

/**
 * Says at debug level when work on a key begins and ends, both while its lease is held: the logs of all replicas
 * together tell who worked on what, and when.
 */
export function loggedReconciler(reconciler: Reconciler, log: Logger): Reconciler {
  return {
    async reconcile(request, context) {
      const fields = { key: request.key, attempt: request.attempt, fence: context.lease?.token };
      log.debug(fields, "Reconcile begins");
      try {
        return await reconciler.reconcile(request, context);
      } finally {
        log.debug(fields, "Reconcile ends");
      }
    },
  };
}
