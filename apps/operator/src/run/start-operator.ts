import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

import { BowlineError, type Clock, type Shutdown, type ChildTransition, type Logger } from "@bowline/core";
import {
  EventRecorder,
  LeaseElector,
  connect,
  KubeClient,
  ownClusterConnection,
  type ClusterConnection,
} from "@bowline/kube";
import {
  startProgram,
  type HeapTuning,
  type ProgramOptions,
  type ProgramShell,
  type RunningProgram,
} from "@bowline/program";
import { Health, HealthListener } from "@bowline/program/health";
import {
  RuntimeMetrics,
  failureReport,
  type LeaderElection,
  type Manager,
  type ReconcileEvent,
} from "@bowline/runtime";

import type { OperatorConfig } from "../config/operator-config.ts";
import { createOperator, type OperatorOptions } from "./operator.ts";

/** The facts about an operator that runs, or waits for its turn to lead. */
interface OperatorFacts {
  /** The cluster, as its kubeconfig calls it. */
  readonly clusterName: string;
  /** Where the health page is: `127.0.0.1:8082`. */
  readonly healthAddress: string;
}

export type RunningOperator = OperatorFacts & RunningProgram;

const leaseName = "bowline-operator";
/** For controllers to finish what is under way. */
const drainTimeMs = 20_000;
const heap: HeapTuning = { readsStreams: true };

/** Rejects with one sentence about what is in the way; then nothing is left open. */
export function startOperator(config: OperatorConfig, options: ProgramOptions): Promise<RunningOperator> {
  const plan = { drainTimeMs, heap, warnings: config.warnings };
  return startProgram(options, plan, (shell) => open(config, options, shell));
}

async function open(
  config: OperatorConfig,
  options: ProgramOptions,
  shell: ProgramShell,
): Promise<OperatorFacts> {
  const { clock, random, logger } = options;
  const { shutdown, stopping, metrics } = shell;
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
  const ready = readinessOf(manager, clock, stopping);
  const page = new HealthListener({ listen: config.healthListen, ready, metrics });
  shutdown.add("the health page", () => page.close());
  const healthAddress = await page.listen();
  runManager(manager, shell);
  return { clusterName: cluster.connection.name, healthAddress };
}

function election(
  { leaseNamespace }: OperatorConfig,
  { clock, random, logger }: ProgramOptions,
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

function readinessOf(manager: Manager, clock: Clock, stopping: AbortSignal): Health {
  const ready = new Health({ clock });
  ready.add("manager", () => manager.checkReady());
  ready.add("running", () => stopping.throwIfAborted());
  return ready;
}

/** Runs it until the shutdown. One that lost its leadership, or cannot go on, ends everything with its reason. */
function runManager(manager: Manager, { shutdown, end }: ProgramShell): void {
  const { signal } = shutdown;
  const running = manager.run(signal).then(
    () => end(),
    (error: unknown) => end(signal.aborted ? undefined : BowlineError.from(error)),
  );
  shutdown.add("controllers and informers", () => running);
}

interface OpenCluster {
  readonly connection: ClusterConnection;
  readonly client: KubeClient;
}

/** Nothing is sent yet. */
async function openCluster(config: OperatorConfig, clock: Clock, shutdown: Shutdown): Promise<OpenCluster> {
  const connection = await ownClusterConnection(config);
  const exec = { env: config.environment, interactive: false };
  const transport = connect(connection, { clock, exec, userAgent: "bowline-operator" });
  shutdown.add("connections to the API server", () => transport.close());
  return { connection, client: new KubeClient(transport) };
}

/** Events of an operator as lines of a log. */
function logOperator(logger: Logger): Pick<OperatorOptions, "onReconciled" | "onError" | "onTransition"> {
  return {
    onReconciled: (event) => logReconcile(logger, event),
    onError: (error: BowlineError) => logger.warn({ err: error }, "Something is in the way"),
    onTransition: ({ child, from, to, error }: ChildTransition) => {
      if (error === undefined) logger.debug({ child, from, to }, "A part of the operator changed its state");
      else logger.warn({ child, from, to, err: error }, "A part of the operator failed");
    },
  };
}

function logReconcile(logger: Logger, { key, attempt, outcome, durationMs }: ReconcileEvent): void {
  const facts = { agent: key, attempt, durationMs: Math.round(durationMs) };
  if (outcome.kind === "interrupted") return;
  if (!("error" in outcome)) {
    logger.debug(facts, "The agent is as it should be");
    return;
  }
  const { logLevel, reason } = failureReport(outcome.error);
  if (logLevel === "silent") return;
  logger[logLevel]({ ...facts, reason, err: outcome.error }, "The agent is not as it should be");
}
