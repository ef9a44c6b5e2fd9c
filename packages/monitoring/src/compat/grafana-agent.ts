import { isRecord } from "@bowline/core";

import { monitoringApiVersion, type KubeObject } from "../model/kube-object.ts";
import { translateFields, type FieldRules, type Translation, type UnusedField } from "./translate-fields.ts";

const sigv4Rules: FieldRules = {
  same: ["region", "accessKey", "secretKey", "profile"],
  changed: { roleARN: (value, { fields }) => void (fields["roleArn"] = value) },
  none: {},
};

const queueRules: FieldRules = {
  same: [
    "capacity",
    "minShards",
    "maxShards",
    "maxSamplesPerSend",
    "batchSendDeadline",
    "minBackoff",
    "maxBackoff",
    "retryOnRateLimit",
  ],
  none: { maxRetries: "Prometheus tries again until a request succeeds or its samples are too old." },
};

const remoteWriteRules: FieldRules = {
  same: [
    "name",
    "url",
    "remoteTimeout",
    "headers",
    "writeRelabelConfigs",
    "basicAuth",
    "oauth2",
    "bearerToken",
    "bearerTokenFile",
    "tlsConfig",
    "proxyUrl",
    "metadataConfig",
  ],
  changed: {
    sigv4: (value, translation) =>
      void (translation.fields["sigv4"] = translation.part(value, "sigv4", sigv4Rules)),
    queueConfig: (value, translation) =>
      void (translation.fields["queueConfig"] = translation.part(value, "queueConfig", queueRules)),
  },
  none: {},
};

/** The list `remoteWrite` of an agent or an instance. What is no list or no object is for the renderer to report. */
function translateRemoteWrites(value: unknown, translation: Translation): void {
  translation.fields["remoteWrite"] = Array.isArray(value)
    ? value.map((write: unknown, index) =>
        isRecord(write) ? translation.part(write, `remoteWrite[${index}]`, remoteWriteRules) : write,
      )
    : value;
}

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
