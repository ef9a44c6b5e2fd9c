import { inClusterConnection, loadKubeconfig, type ClusterConnection } from "@bowline/kube";

import type { AgentConfig } from "../config/agent-config.ts";

/** How the agent reaches its cluster. Nobody is called; rejects when what says so cannot be used. */
export function clusterConnection({ kubeconfig, environment }: AgentConfig): Promise<ClusterConnection> {
  if (kubeconfig === undefined) return inClusterConnection({ env: environment });
  const { paths, context } = kubeconfig;
  return loadKubeconfig({ paths, ...(context === undefined ? {} : { context }) });
}
