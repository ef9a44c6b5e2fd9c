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
import { Notifications } from "../broker/notifications.ts";
import type { RelayLag } from "../broker/relay.ts";
import type { Store } from "@bowline/store";
import { clusterController } from "./cluster-controller.ts";
import type { ObjectController } from "./object-controller.ts";

export interface ControllersOptions {
  readonly store: Store;
  /** Closed by whoever opened it, after these have stopped. */
  readonly broker: Broker;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Names this process among the replicas; never used again, not even after a restart. */
  readonly owner: string;
  /** Those of all kinds that have one by default. */
  readonly controllers?: readonly ObjectController[];
  /** How long the others wait for a silent replica before they take over its keys; 15 s by default. */
  readonly leaseTtlMs?: number;
  readonly sweepIntervalMs?: number;
}

export interface RunningControllers {
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

/** The controllers there are. A kind without one piles up nothing: the relay and the sweeper leave it alone. */
const allControllers: readonly ObjectController[] = [clusterController];

const defaultLeaseTtlMs = 15_000;

/** Runs the controllers, with the relay and the sweeper that feed them. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { clock, random, logger, controllers: definitions = allControllers } = options;
  const controllers = createControllers(options, definitions);
  const notifications = new Notifications({ ...options, kinds: definitions.map(({ kind }) => kind) });
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
  // Whoever stops them need not be the one who waits for them.
  finished.catch(() => {});
  return {
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

function createControllers(
  options: ControllersOptions,
  definitions: readonly ObjectController[],
): readonly Controller[] {
  const { store, broker, clock, random, logger, owner, leaseTtlMs: ttlMs = defaultLeaseTtlMs } = options;
  const metrics = new RuntimeMetrics(options.metrics);
  // A broker within the process comes with a database for this process alone, whose queue hands out a key once.
  const leases = broker.isShared ? { store: store.leases, owner, ttlMs } : undefined;
  return definitions.map((definition) =>
    definition.create({ store, broker, clock, random, logger, metrics, leases }),
  );
}

function logTransition(logger: Logger, { child, to, error, delayMs }: ChildTransition): void {
  if (error !== undefined) logger.error({ part: child, state: to, delayMs, err: error }, "Part failed");
}
