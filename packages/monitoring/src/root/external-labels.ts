import { readLabelName, readLabels } from "../check/label-name.ts";
import type { Field } from "../field/field.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Scope } from "../scrape/scope.ts";

/**
 * The labels that tell the series of one collector from those of others. Of a Prometheus, users cannot override the
 * two that are generated. Of a MetricsAgent, they can give `cluster` another value, and the replica is numbered and
 * not named after its pod, because receivers that drop the copies of other replicas must see one name in all shards.
 */
export function externalLabels(spec: Field, scope: Scope, zoneLabel: string | undefined): ConfigMap {
  const root = scope.owner;
  const own = readLabels(spec.get("externalLabels"), scope);
  const identity = `${root.namespace}/${root.name}`;
  const zone = zoneLabel === undefined ? {} : { [zoneLabel]: "$(TOPOLOGY_ZONE)" };
  // The empty name switches a label off.
  const named = (field: string, usual: string, value: string): Record<string, string> => {
    const label = readLabelName(spec.get(field), scope, usual);
    return label === "" ? {} : { [label]: value };
  };
  const labels =
    root.kind === "MetricsAgent"
      ? {
          ...named("metricsExternalLabelName", "cluster", identity),
          ...own,
          ...named("replicaExternalLabelName", "__replica__", "replica-$(STATEFULSET_ORDINAL_NUMBER)"),
        }
      : {
          ...own,
          ...named("prometheusExternalLabelName", "prometheus", identity),
          ...named("replicaExternalLabelName", "prometheus_replica", "$(POD_NAME)"),
        };
  const all: Readonly<Record<string, string>> = { ...labels, ...zone };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}
