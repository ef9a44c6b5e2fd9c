/** Our own roots. The fields that Prometheus custom resources have, too, are named and read alike. */
interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

interface KeySelector {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

type RemoteWriteSpec = Readonly<Record<string, unknown>> & { readonly url: string };

/** A collector: where it writes to, what it enforces, and which instances it runs. */
export interface MetricsAgentSpec {
  readonly version?: string;
  readonly replicas?: number;
  readonly shards?: number;
  readonly scrapeInterval?: string;
  readonly scrapeTimeout?: string;
  readonly externalLabels?: Readonly<Record<string, string>>;
  /** The external label that names the agent; `cluster` without it, none if empty. */
  readonly metricsExternalLabelName?: string;
  /** The external label that tells replicas apart; `__replica__` without it, none if empty. */
  readonly replicaExternalLabelName?: string;
  /** For instances that have no remoteWrite of their own. */
  readonly remoteWrite?: readonly RemoteWriteSpec[];
  readonly instanceSelector?: LabelSelectorSpec;
  readonly instanceNamespaceSelector?: LabelSelectorSpec;
  readonly overrideHonorLabels?: boolean;
  readonly overrideHonorTimestamps?: boolean;
  readonly ignoreNamespaceSelectors?: boolean;
  readonly enforcedNamespaceLabel?: string;
  readonly enforcedSampleLimit?: number;
  readonly enforcedTargetLimit?: number;
  readonly enforcedLabelLimit?: number;
  readonly enforcedLabelNameLengthLimit?: number;
  readonly enforcedLabelValueLengthLimit?: number;
  readonly enforcedKeepDroppedTargets?: number;
  readonly enforcedBodySizeLimit?: string;
  /** Monitors may name files of the collector only where this says `deny: false`. */
  readonly arbitraryFSAccessThroughSMs?: { readonly deny?: boolean };
  readonly scrapeClasses?: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
}

/** What one team has an agent collect, and where it goes. */
export interface MetricsInstanceSpec {
  readonly remoteWrite?: readonly RemoteWriteSpec[];
  readonly serviceMonitorSelector?: LabelSelectorSpec;
  readonly serviceMonitorNamespaceSelector?: LabelSelectorSpec;
  readonly podMonitorSelector?: LabelSelectorSpec;
  readonly podMonitorNamespaceSelector?: LabelSelectorSpec;
  readonly probeSelector?: LabelSelectorSpec;
  readonly probeNamespaceSelector?: LabelSelectorSpec;
  readonly scrapeConfigSelector?: LabelSelectorSpec;
  readonly scrapeConfigNamespaceSelector?: LabelSelectorSpec;
  readonly additionalScrapeConfigs?: KeySelector;
}
