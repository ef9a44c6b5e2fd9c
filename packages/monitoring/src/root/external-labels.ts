import { readLabels } from "../check/label-name.ts";
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
  const labels =
    root.kind === "MetricsAgent"
      ? {
          ...named(spec.get("metricsExternalLabelName"), "cluster", identity),
          ...own,
          ...named(
            spec.get("replicaExternalLabelName"),
            "__replica__",
            "replica-$(STATEFULSET_ORDINAL_NUMBER)",
          ),
        }
      : {
          ...own,
          ...named(spec.get("prometheusExternalLabelName"), "prometheus", identity),
          ...named(spec.get("replicaExternalLabelName"), "prometheus_replica", "$(POD_NAME)"),
        };
  const all: Readonly<Record<string, string>> = { ...labels, ...zone };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The empty name switches a label off. */
function named(field: Field, name: string, value: string): Record<string, string> {
  const label = field.text() ?? name;
  return label === "" ? {} : { [label]: value };
}
