export { judge, namespaceLabelsOf, type NamespaceLabels, type Search } from "./check/search.ts";
export { adoptGrafanaObjects, isGrafanaObject } from "./compat/adopt-grafana-objects.ts";
export { adoptGrafanaAgent, adoptMetricsInstance, type Adopted } from "./compat/grafana-agent.ts";
export type { UnusedField } from "./compat/translate-fields.ts";
export {
  metricsAgentConditions,
  metricsAgentResource,
  type MetricsAgentSpec,
  type MetricsAgentStatus,
} from "./crd/metrics-agent-resource.ts";
export {
  metricsInstanceConditions,
  metricsInstanceResource,
  type MetricsInstanceSpec,
  type MetricsInstanceStatus,
} from "./crd/metrics-instance-resource.ts";
export {
  monitoringDefinitions,
  readAgentSize,
  readAgentSpec,
  readAgentStatus,
} from "./crd/monitoring-definitions.ts";
export { defaultCollectorVersion } from "./model/collector-version.ts";
export type { Problem } from "./model/field.ts";
export {
  formatRef,
  grafanaGroup,
  monitoringApiVersion,
  monitoringGroup,
  monitoringVersion,
  prometheusOperatorGroup,
  refOf,
  type KubeObject,
  type ObjectRef,
} from "./model/kube-object.ts";
export { resolveFromObjects, type Reference, type Resolve, type ValueRef } from "./model/references.ts";
export { diff, type NamedDiff, type RenderDiff } from "./render/diff.ts";
export type { MonitorExplanation, Rejected, RenderResult, SearchVerdict } from "./render/render-result.ts";
export { render } from "./render/render.ts";
export type { Mode } from "./root/global-config.ts";
export {
  isRoot,
  type GeneratorSwitches,
  type Refusal,
  type RenderOptions,
  type Selection,
} from "./root/read-root.ts";
export type { Job } from "./scrape/job.ts";
export type {
  ClusterFacts,
  EndpointsFacts,
  FactKind,
  Facts,
  IngressFacts,
  PodFacts,
  ServiceFacts,
} from "./targets/cluster-facts.ts";
export {
  endpointsFacts,
  endpointSliceFacts,
  factsOfObjects,
  ingressFacts,
  podFacts,
  serviceFacts,
} from "./targets/object-facts.ts";
export { TargetCounter } from "./targets/target-counter.ts";
export { factKinds, type TargetQuery } from "./targets/target-query.ts";
