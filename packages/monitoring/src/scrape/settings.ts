import type { ConfigMap } from "../model/config-value.ts";
import type { FileAccess } from "./http-client.ts";
import type { EnforcedLimits } from "./limits.ts";
import type { Sharding } from "./rules.ts";
import type { ScrapeClass } from "./scrape-class.ts";

/** Settings that the root decides for every job. */
export interface Settings {
  readonly scrapeInterval: string;
  readonly overrideHonorLabels: boolean;
  readonly overrideHonorTimestamps: boolean;
  readonly ignoreNamespaceSelectors: boolean;
  readonly enforcedNamespaceLabel: string | undefined;
  readonly exclusions: readonly Exclusion[];
  readonly enforcedLimits: EnforcedLimits;
  readonly podTargetLabels: readonly string[];
  /** Whether ServiceMonitors that do not say otherwise are discovered through EndpointSlices. */
  readonly prefersEndpointSlices: boolean;
  readonly endpointSliceSupported: boolean;
  readonly scrapeClasses: readonly ScrapeClass[];
  readonly sharding: Sharding;
  /** The rules that divide the targets of endpoints, made once because every job has them. */
  readonly endpointShardRules: readonly ConfigMap[];
  /** One collector per node: each scrapes the pods of its own node. */
  readonly daemonSet: boolean;
  readonly files: FileAccess;
  /** How discovery reaches the API server, if not as a pod of the cluster. */
  readonly apiServer: ConfigMap;
}

/** Objects that the enforced namespace label leaves alone; without a name, all of a namespace. */
export interface Exclusion {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string | undefined;
}
