import { randomBytes } from "node:crypto";

import { defaultAgentNamespace } from "@bowline/api";
import { pruneSessions } from "@bowline/auth";
import type { Clock, Logger, Metrics, Random } from "@bowline/core";
import type { HealthCheck } from "@bowline/program/health";
import type { AwsApi } from "@bowline/providers";

import type { JetStreamBroker } from "../broker/jetstream/jetstream-broker.ts";
import { configSourceController } from "../config-sources/config-source-controller.ts";
import type { ServerConfig } from "../config/server-config.ts";
import { clusterController } from "../controllers/cluster-controller.ts";
import { startControllers } from "../controllers/start-controllers.ts";
import type { Store } from "@bowline/store";
import type { ReconcilerHost } from "../controllers/object-controller.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { HeldPrunes } from "../workloads/held-prunes.ts";
import { domainController } from "../domains/domain-controller.ts";
import { zoneOpener } from "../domains/open-zone.ts";
import { gatewayController, outsideTools } from "../gateways/gateway-controller.ts";
import { workloadControllers } from "../workloads/workload-controllers.ts";
import { startNeo4jCopy } from "../graph/neo4j-copy.ts";
import type { ClusterGraphs } from "../graph/cluster-graphs.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import { readReportedObjects } from "../reports/reported-objects.ts";
import { questionController } from "../questions/question-controller.ts";
import { definitionController } from "../sources/definition-controller.ts";
import type { Sources } from "../sources/open-sources.ts";
import { AgentJoin } from "../provisioning/agent-join.ts";
import { ClusterProvisioner } from "../provisioning/cluster-provisioner.ts";
import type { JoinEndpoint } from "../provisioning/join-token.ts";
import { OrphanReport } from "../provisioning/orphan-report.ts";
import type { Providers } from "../provisioning/provider-round.ts";
import { ProvisioningMetrics } from "../provisioning/provisioning-metrics.ts";
import { agentImage, natsSettings } from "./config-parts.ts";
import { runRetention } from "./retention-job.ts";

/** The work that goes on whether or not anybody asks. */
export interface Background {
  /** Checks of readiness, by name. */
  readonly checks: ReadonlyMap<string, HealthCheck>;
  /** Rejects when a part has given up; otherwise it never settles. */
  readonly failed: Promise<never>;
  /** Controllers finish what is under way and give back the rest. */
  stop(): Promise<void>;
  /** After `stop`: lets go of everything. */
  close(): Promise<void>;
}

export interface BackgroundOptions {
  readonly config: ServerConfig;
  readonly store: Store;
  /** For the controller of questions. */
  readonly graphs: ClusterGraphs;
  readonly grants: GrantCache;
  /** The way into clusters, for controllers. */
  readonly clients: ClusterClients;
  /** What makes clusters. */
  readonly providers: Providers;
  /** For records in Route 53. */
  readonly aws: AwsApi;
  /** The address and CA for agents, as soon as there is one. */
  readonly endpoint: () => JoinEndpoint | undefined;
  /** Of this server. */
  readonly version: string;
  /** What reads repositories, for the controllers of what comes from them. */
  readonly sources: Sources;
  readonly metrics: Metrics;
  /** Names this process among the replicas, and is never used again. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Some days of a large cluster; a cluster that makes up more of them fills no disk. */
const eventsPerCluster = 100_000;

/** Every server deletes what is too old; controllers run where the role says so. */
export async function startBackground(options: BackgroundOptions): Promise<Background> {
  const retention = startRetention(options);
  const { role } = options.config;
  const works = role === "all" || role === "controllers";
  const work = works ? await startWork(options) : undefined;
  const copy = works ? startNeo4jCopy(options) : undefined;
  return {
    checks: work?.checks ?? new Map(),
    failed: work?.failed ?? new Promise<never>(() => {}),
    stop: async () => work?.stop(),
    async close() {
      await Promise.all([retention.close(), copy?.close()]);
      await work?.close();
    },
  };
}

async function startWork(options: BackgroundOptions): Promise<Background> {
  const nats = await openNats(options);
  // On PostgreSQL there may be other servers that give themselves the same keys.
  const isShared = options.config.database.url !== undefined;
  const definitions = [
    clusterController(clusterProvisioner(options)),
    definitionController(options.sources.resolver),
    configSourceController(options.sources),
    ...workloadControllers(options.clients, readReportedObjects, options.metrics),
    questionController(options),
    gatewayController(options.clients, options.config.gateways),
    domainController({
      outside: outsideTools(options.config.gateways),
      openZone: zoneOpener(options),
      metrics: options.metrics,
    }),
  ];
  const controllers = startControllers({ ...options, nats, isShared, controllers: definitions });
  await options.sources.poll(controllers.broker);
  const orphans = startOrphanReport(options);
  const heldPrunes = new HeldPrunes(options);
  await heldPrunes.start();
  const failed = Promise.withResolvers<never>();
  controllers.finished.catch(failed.reject);
  // Told to those who wait for it; there may be nobody yet, and nobody any more.
  failed.promise.catch(() => {});
  return {
    checks: new Map<string, HealthCheck>([
      ["broker", (signal) => controllers.broker.check(signal)],
      ["outbox", () => controllers.checkTimely()],
      ["controllers", () => controllers.checkRunning()],
    ]),
    failed: failed.promise,
    stop: () => controllers.stop(),
    async close() {
      await Promise.all([heldPrunes.close(), orphans.close()]);
      await nats?.close();
    },
  };
}

function startOrphanReport(options: BackgroundOptions): { close(): Promise<void> } {
  const { store } = options;
  const stop = new AbortController();
  const leases = store.use === undefined ? store.leases : undefined;
  const running = new OrphanReport({ ...options, leases }).run(stop.signal);
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** What makes clusters, with an agent of this server in each. */
function clusterProvisioner(options: BackgroundOptions) {
  const { config, store, providers, endpoint, version } = options;
  const metrics = new ProvisioningMetrics(options.metrics);
  return ({ clock, logger }: ReconcilerHost): ClusterProvisioner => {
    const image = agentImage(config, version);
    const manifests = {
      agents: store.agents,
      clock,
      randomBytes,
      endpoint,
      image,
      namespace: defaultAgentNamespace,
    };
    const join = new AgentJoin({ manifests, clock });
    return new ClusterProvisioner({ store, providers, join, metrics, clock, logger });
  };
}

/** NATS where it was given; it is loaded only then. */
async function openNats({ config, clock, random }: BackgroundOptions): Promise<JetStreamBroker | undefined> {
  const nats = natsSettings(config);
  if (nats === undefined) return undefined;
  const { JetStreamBroker } = await import("../broker/jetstream/jetstream-broker.ts");
  return new JetStreamBroker({ nats, name: config.nats.name, clock, random });
}

function startRetention({ config, store, owner, clock, random, logger }: BackgroundOptions): {
  close(): Promise<void>;
} {
  const stop = new AbortController();
  const { changes, audit, events, graph, interval } = config.retention;
  const running = runRetention(
    {
      retention: {
        prune: async (policy, signal) => {
          const pruned = await store.retention.prune(policy, signal);
          const ended = { objects: store.objects, clock, idleMs: config.session.idle };
          return { ...pruned, sessions: await pruneSessions(ended, signal) };
        },
      },
      leases: store.use === undefined ? store.leases : undefined,
      policy: { changesMs: changes, auditMs: audit, eventsMs: events, eventsPerCluster, graphMs: graph },
      intervalMs: interval,
      owner,
      clock,
      random,
      onPruned: (pruned) => logger.debug(pruned, "Deleted what was too old"),
      onError: (error) =>
        logger.warn({ err: error }, "What is too old could not be deleted; will be tried again"),
    },
    stop.signal,
  );
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
