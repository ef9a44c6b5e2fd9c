import type { Clock, Logger, Random } from "@bowline/core";

import type { AgentConfig } from "../config/agent-config.ts";
import type { ServerDialer } from "../dial/server-dialer.ts";
import type { CurrentIdentity } from "../identity/current-identity.ts";
import { AgentConfiguration } from "../session/agent-configuration.ts";
import { AgentSession } from "../session/agent-session.ts";
import { ServerLinks } from "../session/server-links.ts";
import type { OpenCluster } from "./open-cluster.ts";

export interface OpenLinksOptions {
  readonly config: AgentConfig;
  readonly cluster: OpenCluster;
  readonly identity: CurrentIdentity;
  readonly dialer: ServerDialer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the program. */
  readonly version: string;
  /** No new sessions after it. */
  readonly signal: AbortSignal;
}

/** Keeps sessions with the server, and lets its requests into the cluster. */
export function openLinks(options: OpenLinksOptions): ServerLinks {
  const { config, cluster, identity, logger, clock, random, signal } = options;
  const { upstream } = cluster;
  const configuration = new AgentConfiguration({
    logger,
    upstream,
    keepsLogLevel: config.logLevel !== undefined,
  });
  return new ServerLinks(
    {
      servers: () => (config.servers.length === 0 ? identity.joined.servers : config.servers),
      open: (server, limit) => openSession({ ...options, configuration }, server, limit),
      refused: () => identity.reload(),
      clock,
      random,
      logger,
    },
    signal,
  );
}

async function openSession(
  options: OpenLinksOptions & { readonly configuration: AgentConfiguration },
  server: string,
  signal: AbortSignal,
): Promise<AgentSession> {
  const { config, cluster, identity, dialer, configuration, version } = options;
  const facts = await cluster.facts.latest(signal);
  const dial = (limit: AbortSignal) =>
    dialer.dial({ server, caPem: config.serverCaPem ?? identity.joined.caPem, signal: limit });
  return AgentSession.open(
    {
      ...options,
      http2: await dial(signal),
      dialAgain: dial,
      hello: {
        ...facts,
        agentVersion: version,
        instance: config.instance,
        configVersion: configuration.version,
      },
      authorization: () => identity.authorization(),
      accept: cluster.upstream.accept,
      configure: (config) => configuration.apply(config),
    },
    signal,
  );
}
