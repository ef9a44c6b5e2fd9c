import type { Clock, Shutdown } from "@bowline/core";
import { connect, KubeClient, ownClusterConnection, type ClusterConnection } from "@bowline/kube";

import type { OperatorConfig } from "../config/operator-config.ts";

export interface OpenCluster {
  readonly connection: ClusterConnection;
  readonly client: KubeClient;
}

/** Nothing is sent yet. */
export async function openCluster(
  config: OperatorConfig,
  clock: Clock,
  shutdown: Shutdown,
): Promise<OpenCluster> {
  const connection = await ownClusterConnection(config);
  const exec = { env: config.environment, interactive: false };
  const transport = connect(connection, { clock, exec, userAgent: "bowline-operator" });
  shutdown.add("connections to the API server", () => transport.close());
  return { connection, client: new KubeClient(transport) };
}
