import type { Clock, Shutdown } from "@bowline/core";
import {
  connect,
  KubeClient,
  ownClusterConnection,
  socketAccess,
  type ClusterConnection,
} from "@bowline/kube";

import type { AgentConfig } from "../config/agent-config.ts";
import { ClusterFactsReader } from "../identity/cluster-facts.ts";
import { Upstream } from "../upstream/upstream.ts";

export interface OpenClusterOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly shutdown: Shutdown;
  readonly bytesPassed: ((count: number) => void) | undefined;
}

/** The agent's own cluster, for its own questions and for those of servers. */
export interface OpenCluster {
  readonly connection: ClusterConnection;
  readonly client: KubeClient;
  readonly upstream: Upstream;
  readonly facts: ClusterFactsReader;
}

export async function openCluster(options: OpenClusterOptions): Promise<OpenCluster> {
  const { config, clock, shutdown, bytesPassed } = options;
  const { environment, maxStreams } = config;
  const connection = await ownClusterConnection(config);
  const exec = { env: environment, interactive: false };
  const transport = connect(connection, { clock, exec, userAgent: "bowline-agent" });
  shutdown.add("the agent's own connections to the API server", () => transport.close());
  const access = socketAccess(connection, { clock, exec });
  shutdown.add("credentials", () => access.credentials.close());
  const upstream = new Upstream({
    connection,
    access,
    clock,
    maxStreams,
    ...(bytesPassed === undefined ? {} : { bytesPassed }),
  });
  shutdown.add("requests to the API server", () => upstream.close());
  const client = new KubeClient(transport);
  return { connection, client, upstream, facts: new ClusterFactsReader(client, clock) };
}
