import type { Clock, Random } from "@bowline/core";

import type { SimApi } from "../store/sim-api.ts";
import { openCluster } from "./cluster.ts";
import type { ControllerContext } from "./controller-context.ts";
import { CronJobController } from "./cron-job/cron-job-controller.ts";
import { DaemonSetController } from "./daemon-set/daemon-set-controller.ts";
import { DeploymentController } from "./deployment/deployment-controller.ts";
import { DisruptionController } from "./disruption/disruption-controller.ts";
import { EndpointsController } from "./endpoints/endpoints-controller.ts";
import { EventLog } from "./events/event-log.ts";
import { WorkLoop } from "./loop/work-loop.ts";
import { JobController } from "./job/job-controller.ts";
import { NodeLifecycleController } from "./node-lifecycle/node-lifecycle-controller.ts";
import { PodCollector } from "./node-lifecycle/pod-collector.ts";
import { TaintEviction } from "./node-lifecycle/taint-eviction.ts";
import { ReplicaSetController } from "./replica-set/replica-set-controller.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { StatefulSetController } from "./stateful-set/stateful-set-controller.ts";
import { VolumeBinder } from "./storage/volume-binder.ts";

export { ControllerError, ControllerFailures } from "./loop/controller-failures.ts";
export { WorkLoop } from "./loop/work-loop.ts";

/** Every controller of a cluster. Each queues what it finds when it starts, and then follows changes. */
const controllers = [
  DeploymentController,
  ReplicaSetController,
  StatefulSetController,
  DaemonSetController,
  CronJobController,
  JobController,
  EndpointsController,
  DisruptionController,
  VolumeBinder,
  NodeLifecycleController,
  TaintEviction,
  PodCollector,
  Scheduler,
] as const;

export interface StartControllersOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The loop to work on; controllers and nodes of one cluster share it. Without it the controllers have their own. */
  readonly loop?: WorkLoop;
  /** The oldest events leave when controllers have written more than this. */
  readonly maxEvents?: number;
  /** How long a node may be silent before it counts as lost. */
  readonly nodeGraceMs?: number;
  /** How long pods stay on a lost node, unless their tolerations say otherwise. */
  readonly evictionMs?: number;
}

export interface RunningControllers {
  /** Resolves when nothing is left to do now. */
  settled(): Promise<void>;
  stop(): void;
}

/** Starts the controllers and the scheduler that make a cluster live. */
export function startControllers(api: SimApi, options: StartControllersOptions): RunningControllers {
  const { clock, random } = options;
  const loop = options.loop ?? new WorkLoop({ clock });
  const cluster = openCluster(api);
  const events = new EventLog(api, loop, { maxEvents: options.maxEvents });
  const { nodeGraceMs = 40_000, evictionMs = 300_000 } = options;
  const context: ControllerContext = {
    cluster,
    loop,
    clock,
    random,
    events,
    nodeGraceMs,
    evictionMs,
  };
  for (const Controller of controllers) new Controller(context).start();
  return {
    settled: () => loop.settled(),
    stop: () => {
      if (options.loop === undefined) loop.stop();
      cluster.close();
      events.close();
    },
  };
}
