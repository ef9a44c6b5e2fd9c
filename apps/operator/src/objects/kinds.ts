import type { KubeObject, ObjectMeta, ResourceRef } from "@bowline/kube";
import {
  grafanaGroup,
  monitoringGroup,
  monitoringVersion,
  prometheusOperatorGroup,
  type MetricsAgentSpec,
  type MetricsAgentStatus,
} from "@bowline/monitoring";

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

function namespaced(group: string, version: string, plural: string, kind: string): ResourceRef {
  return { group, version, plural, kind, namespaced: true };
}

export const metricsAgents = namespaced(monitoringGroup, monitoringVersion, "metricsagents", "MetricsAgent");

export const metricsInstances = namespaced(
  monitoringGroup,
  monitoringVersion,
  "metricsinstances",
  "MetricsInstance",
);

export const grafanaAgents = namespaced(grafanaGroup, "v1alpha1", "grafanaagents", "GrafanaAgent");

export const grafanaInstances = namespaced(grafanaGroup, "v1alpha1", "metricsinstances", "MetricsInstance");

export const monitorResources: readonly ResourceRef[] = [
  namespaced(prometheusOperatorGroup, "v1", "servicemonitors", "ServiceMonitor"),
  namespaced(prometheusOperatorGroup, "v1", "podmonitors", "PodMonitor"),
  namespaced(prometheusOperatorGroup, "v1", "probes", "Probe"),
  namespaced(prometheusOperatorGroup, "v1alpha1", "scrapeconfigs", "ScrapeConfig"),
];

/** All that may not be installed. */
export const customResources: readonly ResourceRef[] = [
  metricsAgents,
  metricsInstances,
  grafanaAgents,
  grafanaInstances,
  ...monitorResources,
];
