export { parseQuantity } from "./check/quantity.ts";
export { adoptGrafanaObjects, isGrafanaObject, type AdoptedObjects } from "./compat/adopt-grafana-objects.ts";
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
export { monitoringDefinitions } from "./crd/monitoring-definitions.ts";
export {
  grafanaGroup,
  monitoringApiVersion,
  monitoringGroup,
  monitoringVersion,
  prometheusOperatorGroup,
} from "./crd/monitoring-group.ts";
export { readAgentSize, readAgentSpec, readAgentStatus } from "./crd/read-metrics-agent.ts";
export { diff, type NamedDiff, type RenderDiff } from "./diff.ts";
export type { Problem } from "./field/report.ts";
export { defaultCollectorVersion } from "./model/collector-version.ts";
export type { ConfigMap, ConfigValue } from "./model/config-value.ts";
export { formatRef, refOf, type KubeObject, type ObjectRef } from "./model/kube-object.ts";
export type { Reference, Resolve, ValueRef } from "./reference/reference.ts";
export { resolveFromObjects } from "./reference/resolve-from-objects.ts";
export type { Refusal, RenderInput, RenderOptions, Selection } from "./render-options.ts";
export type {
  Explanation,
  InstanceExplanation,
  MonitorExplanation,
  Rejected,
  RenderResult,
  SearchVerdict,
} from "./render-result.ts";
export { render } from "./render.ts";
export type { Mode } from "./root/global-config.ts";
export { isRoot } from "./root/read-root.ts";
export type { GeneratorSwitches } from "./root/read-settings.ts";
export type { Job } from "./scrape/job.ts";
export type { Checks } from "./scrape/scope.ts";
export type { SelectorTerm } from "./select/label-selector.ts";
export {
  judge,
  namespaceLabelsOf,
  type NamespaceLabels,
  type Search,
  type Verdict,
} from "./select/search.ts";
export type {
  ClusterFacts,
  EndpointsFacts,
  FactKind,
  Facts,
  IngressFacts,
  PodFacts,
  ServiceFacts,
} from "./targets/cluster-facts.ts";
export { factKinds } from "./targets/fact-kinds.ts";
export { factsOfObjects } from "./targets/facts-of-objects.ts";
export {
  endpointsFacts,
  endpointSliceFacts,
  ingressFacts,
  podFacts,
  serviceFacts,
} from "./targets/object-facts.ts";
export { TargetCounter } from "./targets/target-counter.ts";
export type { TargetQuery } from "./targets/target-query.ts";
