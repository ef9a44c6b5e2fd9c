/** The relabel rules that are generated. Their order in a job is part of the contract with users' own rules. */
import { sanitize } from "../check/label-name.ts";
import type { SelectorTerm } from "../check/label-selector.ts";
import type { ConfigMap } from "../model/config-value.ts";

/** Users' rules may look at the name that the job had in the configuration. */
export const keepJobName: ConfigMap = { source_labels: ["job"], target_label: "__tmp_prometheus_job_name" };

export const dropFinishedPods: ConfigMap = {
  action: "drop",
  source_labels: ["__meta_kubernetes_pod_phase"],
  regex: "(Failed|Succeeded)",
};

export function copy(source: string, target: string): ConfigMap {
  return { source_labels: [source], target_label: target };
}

export function set(target: string, value: string): ConfigMap {
  return { target_label: target, replacement: value };
}

export function keep(source: string, regex: string): ConfigMap {
  return { action: "keep", source_labels: [source], regex: readableRegex(regex) };
}

/** Prometheus takes these words for no regular expression at all, quoted or not; in a group they are one. */
export function readableRegex(regex: string): string {
  return /^(?:null|Null|NULL|~)$/u.test(regex) ? `(?:${regex})` : regex;
}

/** Copies a Kubernetes label to the target, if the object has it. */
export function copyLabel(kind: SelectedKind, label: string, target: string = sanitize(label)): ConfigMap {
  return {
    source_labels: [`__meta_kubernetes_${kind}_label_${sanitize(label)}`],
    target_label: target,
    regex: "(.+)",
    replacement: "${1}",
  };
}

type SelectedKind = "service" | "pod" | "ingress";

/** A label selector as rules: what does not match is no target. */
export function selectorRules(kind: SelectedKind, terms: readonly SelectorTerm[]): ConfigMap[] {
  return terms.map((term) => {
    const key = sanitize(term.key);
    const present = `__meta_kubernetes_${kind}_labelpresent_${key}`;
    const action = term.operator === "in" || term.operator === "exists" ? "keep" : "drop";
    if (term.operator === "exists" || term.operator === "absent") {
      return { action, source_labels: [present], regex: "true" };
    }
    const regex = `(${term.values.join("|")});true`;
    return { action, source_labels: [`__meta_kubernetes_${kind}_label_${key}`, present], regex };
  });
}

/** How targets are divided among collectors. The placeholders are filled in where each collector starts. */
export interface Sharding {
  readonly shards: number;
  /** Shards that are kept for their data only, after scaling down, must not scrape. */
  readonly retainsShards: boolean;
  /** With topology, each zone's shards divide the targets of the zone. */
  readonly shardsPerZone?: number;
}

/** The rules for targets whose zone discovery knows. */
export function shardRules(sharding: Sharding, label: string): ConfigMap[] {
  const { shardsPerZone } = sharding;
  if (shardsPerZone === undefined) return addressShardRules(sharding, label);
  return [
    ...retainRules(sharding),
    {
      source_labels: ["__meta_kubernetes_endpointslice_endpoint_zone", "__tmp_topology"],
      target_label: "__tmp_topology",
      regex: "(.+);",
      replacement: "$1",
      action: "replace",
    },
    {
      source_labels: [
        "__meta_kubernetes_node_label_topology_kubernetes_io_zone",
        "__meta_kubernetes_node_labelpresent_topology_kubernetes_io_zone",
        "__tmp_topology",
      ],
      target_label: "__tmp_topology",
      regex: "(.+);true;",
      replacement: "$1",
      action: "replace",
    },
    {
      source_labels: ["__tmp_topology", "__tmp_disable_sharding"],
      regex: "$(TOPOLOGY_ZONE);|.+;.+",
      action: "keep",
    },
    ...hashRules(label, shardsPerZone, "$(INZONE_SHARD)"),
  ];
}

/** The rules for targets without a zone, such as those of probes: all shards divide them. */
export function addressShardRules(sharding: Sharding, label: string): ConfigMap[] {
  return [...retainRules(sharding), ...hashRules(label, sharding.shards, "$(SHARD)")];
}

function retainRules({ retainsShards, shards }: Sharding): ConfigMap[] {
  if (!retainsShards) return [];
  const current = Array.from({ length: shards }, (_, shard) => shard).join("|");
  return [
    { target_label: "__tmp_current_shard", replacement: "$(SHARD)", action: "replace" },
    { source_labels: ["__tmp_current_shard"], regex: current, action: "keep" },
  ];
}

/** Users may set `__tmp_hash` themselves, or `__tmp_disable_sharding` for a target that every shard needs. */
function hashRules(label: string, modulus: number, shard: string): ConfigMap[] {
  return [
    {
      source_labels: [label, "__tmp_hash"],
      target_label: "__tmp_hash",
      regex: "(.+);",
      replacement: "$1",
      action: "replace",
    },
    { ...copy("__tmp_hash", "__tmp_hash"), modulus, action: "hashmod" },
    { source_labels: ["__tmp_hash", "__tmp_disable_sharding"], regex: `${shard};|.+;.+`, action: "keep" },
  ];
}
