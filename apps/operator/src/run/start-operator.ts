import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

import {
  BowlineError,
  Health,
  keepYoungGenerationSmall,
  Metrics,
  Shutdown,
  startProgram,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import { EventRecorder, LeaseElector } from "@bowline/kube";
import { RuntimeMetrics, type LeaderElection, type Manager } from "@bowline/runtime";

import type { OperatorConfig } from "../config/operator-config.ts";
import { HealthPage } from "../health/health-page.ts";
import { logOperator } from "./log-operator.ts";
import { openCluster, type OpenCluster } from "./open-cluster.ts";
import { createOperator } from "./operator.ts";
import type { RunningOperator } from "./running-operator.ts";

export interface StartOperatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the program. */
  readonly version: string;
  /** Stops the operator. */
  readonly signal?: AbortSignal;
  /** The operator is all that the process does: memory is tuned for it, and the process is in its metrics. */
  readonly ownsProcess?: boolean;
}

const leaseName = "bowline-operator";
const stepLimitMs = 10_000;
/** Kubelet waits one second by default. */
const checkLimitMs = 800;

/** Rejects with one sentence about what is in the way; then nothing is left open. */
export async function startOperator(
  config: OperatorConfig,
  options: StartOperatorOptions,
): Promise<RunningOperator> {
  const { clock, logger, signal } = options;
  const shutdown = new Shutdown({ clock, stepLimitMs, totalLimitMs: 3 * stepLimitMs });
  return startProgram({ shutdown, signal, logger }, () => open(config, options, shutdown));
}

async function open(
  config: OperatorConfig,
  options: StartOperatorOptions,
  shutdown: Shutdown,
): Promise<RunningOperator> {
  const { clock, random, logger, version, ownsProcess = false } = options;
  const metrics = new Metrics({ version, revision: "unknown" });
  if (ownsProcess) {
    keepYoungGenerationSmall();
    metrics.collectProcessMetrics();
  }
  const cluster = await openCluster(config, clock, shutdown);
  const identity = `${hostname()}_${randomUUID()}`;
  const recorder = new EventRecorder({
    client: cluster.client,
    reporter: { controller: "bowline.dev/operator", instance: identity },
    clock,
    random,
    onError: (error) => logger.warn({ err: error }, "An event could not be written"),
  });
  shutdown.add("events", () => recorder.stop());
  const manager = createOperator({
    client: cluster.client,
    clock,
    random,
    imageRepository: config.collectorImage,
    compat: config.compat,
    namespaces: config.namespaces,
    concurrency: config.concurrency,
    countsTargets: config.expectedTargets,
    record: (event) => recorder.record(event),
    metrics: new RuntimeMetrics(metrics),
    ...(config.leaderElection ? { leaderElection: election(config, options, cluster, identity) } : {}),
    ...logOperator(logger),
  });
  const page = new HealthPage({ ...config.health, ...healthOf(manager, clock, shutdown.signal), metrics });
  shutdown.add("the health page", () => page.close());
  const healthAddress = await page.listen();
  return {
    clusterName: cluster.connection.name,
    healthAddress,
    close: () => shutdown.run("it was closed"),
    ended: runManager(manager, shutdown, logger),
  };
}

function election(
  { leaseNamespace }: OperatorConfig,
  { clock, random, logger }: StartOperatorOptions,
  { client, connection }: OpenCluster,
  identity: string,
): LeaderElection {
  return (lead, signal) =>
    new LeaseElector({
      client,
      clock,
      random,
      identity,
      name: leaseName,
      namespace: leaseNamespace ?? connection.namespace,
      onStartedLeading: lead,
      onError: (error) => logger.warn({ err: error }, "The Lease could not be written"),
    }).run(signal);
}

function healthOf(manager: Manager, clock: Clock, stopping: AbortSignal): { live: Health; ready: Health } {
  const live = new Health({ name: "healthz", clock, checkLimitMs });
  const ready = new Health({ name: "readyz", clock, checkLimitMs });
  ready.add("manager", () => manager.checkReady());
  ready.add("running", () => stopping.throwIfAborted());
  return { live, ready };
}

/** Runs it until the shutdown. One that lost its leadership, or cannot go on, ends everything with its reason. */
function runManager(manager: Manager, shutdown: Shutdown, logger: Logger): Promise<void> {
  const { signal } = shutdown;
  signal.addEventListener("abort", () => logger.info("Stopping"), { once: true });
  const running = manager.run(signal).then(
    () => undefined,
    (error: unknown) => (signal.aborted ? undefined : BowlineError.from(error)),
  );
  shutdown.add("controllers and informers", async () => void (await running));
  const wait = async (): Promise<void> => {
    const failure = await running;
    await shutdown.run(failure === undefined ? "it ended" : failure.message);
    if (failure !== undefined) throw failure;
    logger.info("Stopped");
  };
  const ended = wait();
  // Whoever closes it may be content with what `close` says.
  ended.catch(() => {});
  return ended;
}
