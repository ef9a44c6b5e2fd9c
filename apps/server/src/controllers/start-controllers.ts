import {
  BowlineError,
  supervisionProblems,
  Supervisor,
  type ChildTransition,
  type Clock,
  type Logger,
  type Metrics,
  type Random,
} from "@bowline/core";
import { RuntimeMetrics, type Controller, type ControllerState } from "@bowline/runtime";

import type { Broker } from "../broker/broker.ts";
import { ControllerQueues } from "../broker/controller-queues.ts";
import type { JetStreamBroker } from "../broker/jetstream/jetstream-broker.ts";
import { Notifications } from "../broker/notifications.ts";
import type { RelayLag, RelayWatch } from "../broker/relay.ts";
import type { Store } from "@bowline/store";
import { clusterController } from "./cluster-controller.ts";
import type { ObjectController } from "./object-controller.ts";

export interface ControllersOptions {
  readonly store: Store;
  /** Shares the work between replicas; closed by whoever opened it, after these have stopped. */
  readonly nats?: JetStreamBroker | undefined;
  /** Whether other processes work on the same database; those with NATS always may. */
  readonly isShared?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Names this process among the replicas; never used again, not even after a restart. */
  readonly owner: string;
  /** The controllers of all kinds that have one by default. */
  readonly controllers?: readonly ObjectController[];
  /** How long the others wait for a silent replica before they take over its keys; 15 s by default. */
  readonly leaseTtlMs?: number;
  readonly sweepIntervalMs?: number;
}

export interface RunningControllers {
  /** Takes the keys of objects that have something to do. */
  readonly broker: Broker;
  /** For readiness: throws when a part does not run. */
  checkRunning(): void;
  /** For readiness: rejects when changes wait too long for the broker, or what it may have lost for a sweep. */
  checkTimely(): Promise<void>;
  lag(): Promise<RelayLag>;
  states(): ControllerState[];
  /** Settles when all have stopped; rejects with `SupervisorGaveUp` when something kept failing. */
  readonly finished: Promise<void>;
  /** Finishes what is under way, gives back the rest, and resolves; `finished` tells if something was left behind. */
  stop(): Promise<void>;
}

/**
 * Controllers that need nothing but the store; those of workloads, which reach into clusters and repositories, come
 * beside them, and a server has one of clusters that makes them too. A kind without one piles up nothing: the relay and the sweeper leave it alone.
 */
export const storeControllers: readonly ObjectController[] = [clusterController()];

const defaultLeaseTtlMs = 15_000;

/** Runs the controllers, with the relay and the sweeper that feed them. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { clock, random, logger, controllers: definitions = storeControllers } = options;
  const byKind = createControllers(options, definitions);
  const controllers = [...byKind.values()];
  const broker =
    options.nats ?? new ControllerQueues({ controllers: byKind, isShared: options.isShared ?? false });
  const notifications = new Notifications({
    ...options,
    broker,
    kinds: definitions.map(({ kind }) => kind),
    watches: definitions.flatMap((definition) => watchesOf(definition, options.store)),
  });
  const supervisor = new Supervisor({
    name: "controllers",
    clock,
    random,
    onTransition: (transition) => logTransition(logger, transition),
  });
  // Stopped in reverse: first nothing new comes in, then what is under way is finished.
  for (const controller of controllers) supervisor.add(controller.asChild());
  for (const child of notifications.children()) supervisor.add(child);
  const finished = supervisor.run();
  // The caller that stops them need not be the one who waits for them.
  finished.catch(() => {});
  return {
    broker,
    checkRunning() {
      const [problem] = supervisionProblems(supervisor.snapshot());
      if (problem !== undefined) throw new BowlineError("ServerUnavailable", problem);
    },
    checkTimely: () => notifications.checkTimely(),
    lag: () => notifications.lag(),
    states: () => controllers.map((controller) => controller.state()),
    finished,
    stop: () => supervisor.stop(),
  };
}

function watchesOf({ kind, watches }: ObjectController, store: Store): RelayWatch[] {
  return watches.map((watch) => ({
    kind: watch.kind.kind,
    controller: kind.kind,
    namesOf: (change, batch) => watch.namesOf(change, { store, batch }),
  }));
}

function createControllers(
  options: ControllersOptions,
  definitions: readonly ObjectController[],
): ReadonlyMap<string, Controller> {
  const {
    store,
    nats,
    isShared,
    clock,
    random,
    logger,
    owner,
    leaseTtlMs: ttlMs = defaultLeaseTtlMs,
  } = options;
  const metrics = new RuntimeMetrics(options.metrics);
  // A database that one process has for itself needs no leases: its queue hands out a key once.
  const leases = nats !== undefined || isShared === true ? { store: store.leases, owner, ttlMs } : undefined;
  return new Map(
    definitions.map((definition) => {
      const { kind } = definition.kind;
      const deliveries = nats?.source(kind);
      return [kind, definition.create({ store, deliveries, clock, random, logger, metrics, leases })];
    }),
  );
}

function logTransition(logger: Logger, { child, to, error, delayMs }: ChildTransition): void {
  if (error !== undefined) logger.error({ part: child, state: to, delayMs, err: error }, "Part failed");
}
