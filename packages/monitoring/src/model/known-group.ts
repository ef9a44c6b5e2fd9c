import { monitoringGroup, prometheusOperatorGroup } from "../crd/monitoring-group.ts";
import { groupOf, type KubeObject } from "./kube-object.ts";

/** The groups of the kinds that are read. Other operators have kinds of the same names in groups of their own. */
const groups: Readonly<Partial<Record<string, string>>> = {
  MetricsAgent: monitoringGroup,
  MetricsInstance: monitoringGroup,
  Prometheus: prometheusOperatorGroup,
  PrometheusAgent: prometheusOperatorGroup,
  ServiceMonitor: prometheusOperatorGroup,
  PodMonitor: prometheusOperatorGroup,
  Probe: prometheusOperatorGroup,
  ScrapeConfig: prometheusOperatorGroup,
};

/** Whether the object is what its kind says here. One that does not say its group is believed. */
export function isOfKnownGroup(object: KubeObject): boolean {
  const expected = Object.hasOwn(groups, object.kind) ? groups[object.kind] : undefined;
  const group = groupOf(object);
  return expected === undefined || group === undefined || group === expected;
}
