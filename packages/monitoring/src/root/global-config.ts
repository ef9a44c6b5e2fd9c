import { readLabelName, readLabels } from "../check/label-name.ts";
import { checkTimeout, readDuration } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import { globalLimits, type EnforcedLimits } from "../scrape/limits.ts";
import { readProtocols } from "../scrape/protocols.ts";

export type Mode = "server" | "agent";

interface GlobalOptions {
  readonly mode: Mode;
  readonly scrapeInterval: string;
  readonly externalLabels: ConfigMap;
  readonly enforcedLimits: EnforcedLimits;
}

/** The section that holds for all jobs. A setting that Prometheus would refuse is reported and left out. */
export function globalConfig(spec: Field, scope: Scope, options: GlobalOptions): ConfigMap {
  const { mode, scrapeInterval } = options;
  const timeout = readDuration(spec.get("scrapeTimeout"));
  return {
    scrape_interval: scrapeInterval,
    scrape_timeout: checkTimeout(spec.get("scrapeTimeout"), timeout, scrapeInterval) ? timeout : undefined,
    external_labels: options.externalLabels,
    evaluation_interval: mode === "server" ? readDuration(spec.get("evaluationInterval")) : undefined,
    scrape_protocols: readProtocols(spec.get("scrapeProtocols"), scope),
    ...globalLimits(spec, scope, options.enforcedLimits),
    always_scrape_classic_histograms: scope.since("3.5", spec.get("scrapeClassicHistograms"), (flag) =>
      flag.flag(),
    ),
    convert_classic_histograms_to_nhcb: scope.since(
      "3.4",
      spec.get("convertClassicHistogramsToNHCB"),
      (flag) => flag.flag(),
    ),
    scrape_native_histograms: scope.since("3.8", spec.get("scrapeNativeHistograms"), (flag) => flag.flag()),
  };
}

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
