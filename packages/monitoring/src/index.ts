export { diff, type NamedDiff, type RenderDiff } from "./diff.ts";
export type { Problem } from "./field/report.ts";
export { defaultCollectorVersion } from "./model/collector-version.ts";
export type { ConfigMap, ConfigValue } from "./model/config-value.ts";
export { formatRef, refOf, type KubeObject, type ObjectRef } from "./model/kube-object.ts";
export type { Reference, Resolve, ValueRef } from "./reference/reference.ts";
export { resolveFromObjects } from "./reference/resolve-from-objects.ts";
export type { RenderInput, RenderOptions } from "./render-options.ts";
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
export type { MetricsAgentSpec, MetricsInstanceSpec } from "./root/metrics-agent.ts";
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
