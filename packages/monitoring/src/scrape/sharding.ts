import type { ConfigMap } from "../model/config-value.ts";
import { copy } from "./rules.ts";

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
