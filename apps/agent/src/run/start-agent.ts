import {
  allocateInYoungGeneration,
  keepOptimizedCode,
  keepRoomForGarbage,
  keepYoungGenerationSmall,
  Metrics,
  Shutdown,
  startProgram,
  type BowlineError,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import { youngCollector } from "@bowline/protocol";

import type { AgentConfig } from "../config/agent-config.ts";
import { ServerDialer } from "../dial/server-dialer.ts";
import { AgentHealth } from "../health/agent-health.ts";
import { addAgentMetrics } from "../health/agent-metrics.ts";
import { HealthPage } from "../health/health-page.ts";
import { CurrentIdentity } from "../identity/current-identity.ts";
import { establishIdentity } from "../identity/establish-identity.ts";
import { identityStoreFor } from "./identity-store-for.ts";
import { openCluster, type OpenCluster } from "./open-cluster.ts";
import { openLinks } from "./open-links.ts";
import { openReporter } from "./open-reporter.ts";
import type { RunningAgent } from "./running-agent.ts";
import { untilItWorks } from "./until-it-works.ts";

export interface StartAgentOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the program. */
  readonly version: string;
  /** Stops the agent, also while it starts. */
  readonly signal?: AbortSignal;
  /** The agent is all that the process does: memory is tuned for it, and the process is in its metrics. */
  readonly ownsProcess?: boolean;
}

/** Beyond the drain, for what has to be closed. */
const closingLimitMs = 10_000;
/** As much as is alive in an agent, whatever its cluster. */
const roomForGarbageBytes = 20 * 1024 * 1024;

/**
 * Joins where the agent has not joined before, and connects. Resolves once it knows who it is, which may take as long
 * as the server cannot be reached. Rejects with one sentence about what is in the way; then nothing is left open.
 */
export async function startAgent(config: AgentConfig, options: StartAgentOptions): Promise<RunningAgent> {
  const { clock, logger, signal } = options;
  const totalLimitMs = config.drainTimeMs + closingLimitMs;
  const shutdown = new Shutdown({ clock, stepLimitMs: closingLimitMs, totalLimitMs });
  return startProgram({ shutdown, signal, logger }, () => open(config, options, shutdown));
}

async function open(
  config: AgentConfig,
  options: StartAgentOptions,
  shutdown: Shutdown,
): Promise<RunningAgent> {
  const { clock, version, ownsProcess = false } = options;
  const { signal } = shutdown;
  if (ownsProcess) {
    allocateInYoungGeneration();
    keepOptimizedCode();
    shutdown.add("the heap", keepRoomForGarbage(roomForGarbageBytes, clock));
    keepYoungGenerationSmall();
  }
  const metrics = new Metrics({ version, revision: "unknown" });
  if (ownsProcess) metrics.collectProcessMetrics();
  const bytesPassed = ownsProcess ? youngCollector() : undefined;
  const cluster = await openCluster({ config, clock, shutdown, bytesPassed });

  const health = new AgentHealth(clock, signal);
  let refreshMetrics = (): void => {};
  const page = new HealthPage({
    ...config.health,
    live: health.live,
    ready: health.ready,
    metrics: {
      contentType: metrics.contentType,
      text: () => {
        refreshMetrics();
        return metrics.text();
      },
    },
  });
  shutdown.add("the health page", () => page.close());
  const healthAddress = await page.listen();

  const dialer = new ServerDialer({ clock, environment: config.environment });
  const identity = await becomeSomebody(config, { ...options, signal, cluster, dialer });
  // Given up when the shutdown begins, and waited for when the sessions are drained.
  const reporter = openReporter({ ...options, config, cluster, shutdown });
  const links = openLinks({ ...options, config, cluster, identity, dialer, signal });
  shutdown.add("sessions", () => links.drain("The agent is stopping.", config.drainTimeMs), {
    limitMs: config.drainTimeMs + closingLimitMs / 2,
  });
  health.watch(links);
  refreshMetrics = addAgentMetrics(metrics, { links, upstream: cluster.upstream, reporter });
  const { clusterName, agentId } = identity.joined;
  return {
    clusterName,
    agentId,
    healthAddress,
    identityPlace: identity.place,
    connected: links.connected,
    close: () => shutdown.run("it was closed"),
    ended: whenEnded(shutdown, options.logger),
  };
}

function becomeSomebody(
  config: AgentConfig,
  options: StartAgentOptions & {
    readonly signal: AbortSignal;
    readonly cluster: OpenCluster;
    readonly dialer: ServerDialer;
  },
): Promise<CurrentIdentity> {
  const { cluster, clock, logger, version, signal } = options;
  const onFailure = (error: BowlineError): void =>
    logger.warn({ err: error }, "The API server of the cluster does not answer");
  const store = identityStoreFor(config, cluster, signal);
  return untilItWorks(
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

function whenEnded(shutdown: Shutdown, logger: Logger): Promise<void> {
  shutdown.signal.addEventListener("abort", () => logger.info("Stopping"), { once: true });
  const wait = async (): Promise<void> => {
    await shutdown.finished();
    logger.info("Stopped");
  };
  const ended = wait();
  // Whoever closes it may be content with what `close` says.
  ended.catch(() => {});
  return ended;
}
