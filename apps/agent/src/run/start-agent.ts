import type { BowlineError } from "@bowline/core";
import {
  startProgram,
  type HeapTuning,
  type ProgramOptions,
  type ProgramShell,
  type RunningProgram,
} from "@bowline/program";
import { HealthListener } from "@bowline/program/health";

import type { AgentConfig } from "../config/agent-config.ts";
import { ServerDialer } from "../dial/server-dialer.ts";
import { AgentHealth, addAgentMetrics } from "./agent-health.ts";
import type { ResourceName } from "../graph/graph-observer.ts";
import { CurrentIdentity } from "../identity/current-identity.ts";
import { establishIdentity, retryWithBackoff } from "../identity/establish-identity.ts";
import { identityStoreFor } from "../identity/identity-store-for.ts";
import { ClusterReporter } from "./cluster-reporter.ts";
import { openCluster, type OpenCluster } from "./open-cluster.ts";
import { openLinks } from "./open-links.ts";
import { openReporter } from "./open-reporter.ts";

/** The facts about an agent that has joined and connects, or is connected. */
interface AgentFacts {
  readonly clusterName: string;
  readonly agentId: string;
  /** Where the health page is: `127.0.0.1:8081`. */
  readonly healthAddress: string;
  /** Where the identity is kept, in words. */
  readonly identityPlace: string;
  /** Resolves when a server has welcomed it for the first time. */
  readonly connected: Promise<void>;
}

export type RunningAgent = AgentFacts & RunningProgram;

const heap: HeapTuning = {
  readsStreams: true,
  passesRequests: {
    /** In a cluster of 10,000 pods 20 MB took 5 to 10 MB more of memory, and no less CPU time. */
    roomForGarbageBytes: 8 * 1024 * 1024,
    /** With 8 MB a download of 100 MB met up to seven full collections, and took up to twice the CPU time. */
    roomForStreamsBytes: 20 * 1024 * 1024,
    collectEveryBytes: 4 * 1024 * 1024,
  },
};

/**
 * Joins where the agent has not joined before, and connects. Resolves once it knows who it is, which may take as long
 * as the server cannot be reached. Rejects with one sentence about what is in the way; then nothing is left open.
 */
export function startAgent(config: AgentConfig, options: ProgramOptions): Promise<RunningAgent> {
  const plan = { drainTimeMs: config.drainTime, heap, warnings: config.warnings };
  return startProgram(options, plan, (shell) => open(config, options, shell));
}

async function open(config: AgentConfig, options: ProgramOptions, shell: ProgramShell): Promise<AgentFacts> {
  const { clock } = options;
  const { shutdown, stopping: signal, metrics, bytesPassed } = shell;
  const cluster = await openCluster({ config, clock, shutdown, bytesPassed });

  const health = new AgentHealth(clock, signal);
  let refreshMetrics = (): void => {};
  let reports = (): unknown => ({ isReporting: false });
  const page = new HealthListener({
    listen: config.healthListen,
    ready: health.ready,
    metrics: {
      contentType: metrics.contentType,
      text: () => {
        refreshMetrics();
        return metrics.text();
      },
    },
    pages: { reports: () => reports() },
  });
  shutdown.add("the health page", () => page.close());
  const healthAddress = await page.listen();

  const dialer = new ServerDialer({ clock, environment: config.environment });
  const identity = await openIdentity(config, { ...options, signal, cluster, dialer });
  let moreResources: readonly ResourceName[] = [];
  const observe = (kinds: readonly ResourceName[]): void => void (moreResources = kinds);
  const links = openLinks({ ...options, config, cluster, identity, dialer, signal, observe });
  shutdown.add("sessions", () => links.drain("The agent is stopping.", config.drainTime), {
    limitMs: shell.drainLimitMs,
  });
  const { instance } = config;
  const workloads = new ClusterReporter({
    ...options,
    client: cluster.client,
    observesSecrets: config.observeSecrets,
    links,
    instance,
    moreResources: () => moreResources,
  });
  // Ended before the sessions, over which it sends what is left.
  const reporter = openReporter({ ...options, config, cluster, shutdown, work: workloads.work });
  health.watch(links);
  reports = () => workloads.status();
  refreshMetrics = addAgentMetrics(metrics, { links, upstream: cluster.upstream, reporter, workloads });
  const { clusterName, agentId } = identity.joined;
  return { clusterName, agentId, healthAddress, identityPlace: identity.place, connected: links.connected };
}

function openIdentity(
  config: AgentConfig,
  options: ProgramOptions & {
    readonly signal: AbortSignal;
    readonly cluster: OpenCluster;
    readonly dialer: ServerDialer;
  },
): Promise<CurrentIdentity> {
  const { cluster, clock, logger, version, signal } = options;
  const onFailure = (error: BowlineError): void =>
    logger.warn({ err: error }, "The API server of the cluster does not answer");
  const store = identityStoreFor(config, cluster, signal);
  return retryWithBackoff(
    async () => {
      const facts = await cluster.facts.read(signal);
      const { joinToken, serverCaPem: caPem } = config;
      const joined = await establishIdentity({
        ...options,
        store,
        joinToken,
        caPem,
        facts,
        agentVersion: version,
      });
      return new CurrentIdentity(joined, store, clock);
    },
    { ...options, onFailure },
  );
}
