import type { KubeObject, ObjectMeta } from "@bowline/kube";
import type { MetricsAgentSpec, MetricsAgentStatus } from "@bowline/monitoring";

/** A MetricsAgent as the API server holds it, or what another kind of agent is read as; the kind tells which. */
export interface MetricsAgent extends KubeObject {
  metadata: ObjectMeta & { name: string; namespace: string; uid: string };
  spec: MetricsAgentSpec;
  status?: MetricsAgentStatus;
}

export function shardCount({ spec }: MetricsAgent): number {
  return spec.shards ?? 1;
}

/** Collectors in each shard. */
export function replicaCount({ spec }: MetricsAgent): number {
  return spec.replicas ?? 1;
}
