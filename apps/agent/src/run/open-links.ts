import type { Clock, Logger, Random } from "@bowline/core";
import type { AgentConfig as ProtocolConfig } from "@bowline/protocol";

import type { AgentConfig } from "../config/agent-config.ts";
import type { ServerDialer } from "../dial/server-dialer.ts";
import type { CurrentIdentity } from "../identity/current-identity.ts";
import { AgentConfiguration } from "../session/agent-configuration.ts";
import { ServerSession } from "../session/server-session.ts";
import { ServerLinks } from "../session/server-links.ts";
import type { OpenCluster } from "./open-cluster.ts";

export interface OpenLinksOptions {
  readonly config: Pick<AgentConfig, "servers" | "serverCaPem" | "instance" | "log">;
  readonly cluster: LinkedCluster;
  readonly identity: CurrentIdentity;
  readonly dialer: Pick<ServerDialer, "dial" | "dialTunnel">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the program. */
  readonly version: string;
  /** Told what else is to be observed, whenever that changes. */
  readonly observe?: (kinds: ProtocolConfig["observedKinds"]) => void;
  /** No new sessions after it. */
  readonly signal: AbortSignal;
}

/** The cluster as servers are told about it, and where their requests go. */
interface LinkedCluster {
  readonly upstream: Pick<OpenCluster["upstream"], "accept" | "maxStreams">;
  readonly facts: Pick<OpenCluster["facts"], "latest">;
}

/** Keeps sessions with the server, and lets its requests into the cluster. */
export function openLinks(options: OpenLinksOptions): ServerLinks {
  const { config, cluster, identity, logger, clock, random, signal, observe } = options;
  const { upstream } = cluster;
  const configuration = new AgentConfiguration({
    logger,
    upstream,
    keepsLogLevel: config.log.level !== undefined,
    ...(observe === undefined ? {} : { observe }),
  });
  return new ServerLinks(
    {
      servers: () => (config.servers.length === 0 ? identity.joined.servers : config.servers),
      open: (server, limit, otherReplica) =>
        openSession({ ...options, configuration, otherReplica }, server, limit),
      refused: () => identity.reload(),
      clock,
      random,
      logger,
    },
    signal,
  );
}

async function openSession(
  options: OpenLinksOptions & {
    readonly configuration: AgentConfiguration;
    readonly otherReplica: string | undefined;
  },
  server: string,
  signal: AbortSignal,
): Promise<ServerSession> {
  const { config, cluster, identity, dialer, configuration, version, otherReplica } = options;
  const facts = await cluster.facts.latest(signal);
  const caPem = config.serverCaPem ?? identity.joined.caPem;
  return ServerSession.open(
    {
      ...options,
      http2: await dialer.dial({ server, caPem, signal }),
      dialTunnel: (headers, limit) => dialer.dialTunnel({ server, caPem, signal: limit }, headers),
      hello: {
        ...facts,
        agentVersion: version,
        instance: config.instance,
        configVersion: configuration.version,
        ...(otherReplica === undefined ? {} : { otherReplica }),
      },
      authorization: () => identity.authorization(),
      accept: cluster.upstream.accept,
      configure: (config) => configuration.apply(config),
    },
    signal,
  );
}
