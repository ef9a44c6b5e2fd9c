import type { KubeObject } from "../model/kube-object.ts";
import { monitoringApiVersion } from "../crd/monitoring-group.ts";
import { translateRemoteWrites } from "./grafana-remote-write.ts";
import { translateFields, type FieldRules, type UnusedField, type Translation } from "./translate-fields.ts";

export interface Adopted {
  /** The same object as one of our kinds: its metadata is that of the original. */
  readonly object: KubeObject;
  readonly unusedFields: readonly UnusedField[];
}

const metricsRules: FieldRules = {
  same: [
    "replicaExternalLabelName",
    "metricsExternalLabelName",
    "scrapeInterval",
    "scrapeTimeout",
    "externalLabels",
    "arbitraryFSAccessThroughSMs",
    "overrideHonorLabels",
    "overrideHonorTimestamps",
    "ignoreNamespaceSelectors",
    "enforcedNamespaceLabel",
    "enforcedSampleLimit",
    "enforcedTargetLimit",
    "instanceSelector",
    "instanceNamespaceSelector",
  ],
  changed: {
    remoteWrite: translateRemoteWrites,
    // The other operator takes anything below the least for the least.
    replicas: (value, { fields }) => void (fields["replicas"] = atLeast(0, value)),
    shards: (value, { fields }) => void (fields["shards"] = atLeast(1, value)),
  },
  none: {},
};

const storageRules: FieldRules = {
  same: ["emptyDir", "volumeClaimTemplate"],
  none: {
    disableMountSubPath: "The write-ahead log is at the root of its volume in any case.",
    ephemeral: "Use emptyDir or volumeClaimTemplate.",
  },
};

const otherProgram = "It is about the Grafana Agent, and Prometheus is what runs here.";
const ownContainers = "The containers of the pods cannot be changed.";
const metricsOnly = "Only metrics are collected here.";

const agentRules: FieldRules = {
  same: [
    "paused",
    "logLevel",
    "logFormat",
    "podMetadata",
    "imagePullSecrets",
    "resources",
    "nodeSelector",
    "serviceAccountName",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "securityContext",
    "priorityClassName",
    "runtimeClassName",
    "portName",
  ],
  changed: {
    metrics: (value, translation) =>
      void Object.assign(translation.fields, translation.part(value, "metrics", metricsRules)),
    apiServer: (value, { fields }) => void (fields["apiserverConfig"] = value),
    storage: readStorage,
  },
  none: {
    image: otherProgram,
    version: otherProgram,
    configReloaderImage: otherProgram,
    configReloaderVersion: otherProgram,
    enableConfigReadAPI: otherProgram,
    disableReporting: otherProgram,
    disableSupportBundle: otherProgram,
    containers: ownContainers,
    initContainers: ownContainers,
    volumes: ownContainers,
    volumeMounts: ownContainers,
    secrets: "Name Secrets where they are used; they are mounted then.",
    configMaps: "Name ConfigMaps where they are used; they are mounted then.",
    logs: metricsOnly,
    integrations: metricsOnly,
  },
};

const instanceRules: FieldRules = {
  same: [
    "serviceMonitorSelector",
    "serviceMonitorNamespaceSelector",
    "podMonitorSelector",
    "podMonitorNamespaceSelector",
    "probeSelector",
    "probeNamespaceSelector",
    "additionalScrapeConfigs",
  ],
  changed: { remoteWrite: translateRemoteWrites },
  none: Object.fromEntries(
    ["walTruncateFrequency", "minWALTime", "maxWALTime", "remoteFlushDeadline", "writeStaleOnShutdown"].map(
      (name) => [name, "All instances of an agent share one write-ahead log, which Prometheus looks after."],
    ),
  ),
};

/** A GrafanaAgent as the MetricsAgent that does the same. */
export function adoptGrafanaAgent(object: KubeObject): Adopted {
  return adopt(object, "MetricsAgent", agentRules);
}

/** A MetricsInstance of the Grafana Agent Operator as one of ours. */
export function adoptMetricsInstance(object: KubeObject): Adopted {
  return adopt(object, "MetricsInstance", instanceRules);
}

function adopt(object: KubeObject, kind: string, rules: FieldRules): Adopted {
  const { fields, unusedFields } = translateFields(object.spec, "spec", rules);
  return {
    object: { apiVersion: monitoringApiVersion, kind, metadata: object.metadata, spec: fields },
    unusedFields,
  };
}

/** An emptyDir is what there is without storage, so a storage without anything that has meaning is none. */
function readStorage(value: unknown, translation: Translation): void {
  const storage = translation.part(value, "storage", storageRules);
  if (Object.keys(storage).length > 0) translation.fields["storage"] = storage;
}

function atLeast(least: number, value: unknown): unknown {
  return typeof value === "number" ? Math.max(least, value) : value;
}
