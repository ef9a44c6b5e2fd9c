import {
  BowlineError,
  withDeadline,
  type Clock,
  type Logger,
  type Random,
  type Shutdown,
} from "@bowline/core";

import type { AgentConfig } from "../config/agent-config.ts";
import { ReporterElection, type ReportWork } from "./reporter-election.ts";
import type { OpenCluster } from "./open-cluster.ts";

export interface OpenReporterOptions {
  readonly config: AgentConfig;
  readonly cluster: Pick<OpenCluster, "client" | "connection">;
  readonly work: ReportWork;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

/** How long an agent that stops sends what is left and tries to give the Lease back; left alone, it runs out. */
const releaseLimitMs = 4_000;

/** Takes part in the election of the agent that reports, until the shutdown begins. */
export function openReporter(options: OpenReporterOptions): ReporterElection {
  const { config, cluster, work, clock, logger, shutdown } = options;
  const { instance, kubeconfig, leaseNamespace } = config;
  const ownNamespace = kubeconfig === undefined ? cluster.connection.namespace : undefined;
  const election = new ReporterElection({
    ...options,
    client: cluster.client,
    namespace: leaseNamespace ?? ownNamespace,
    instance,
  });
  const ended = election.run(work, shutdown.signal);
  shutdown.add("the election of the agent that reports", async () => {
    const onTimeout = (): BowlineError =>
      new BowlineError("Timeout", "The Lease could not be given back in time; it runs out by itself.");
    await withDeadline(() => ended, { clock, limitMs: releaseLimitMs, onTimeout }).catch((error: unknown) =>
      logger.warn({ err: error }, "Another agent reports a little later"),
    );
  });
  return election;
}
