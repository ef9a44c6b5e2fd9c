import type { KubeObject } from "@bowline/kube";
import type { MetricsAgentSpec } from "@bowline/monitoring";

import { collectorContainer, collectorImage, reloadContainers } from "./collector-container.ts";
import { replicaCount, type MetricsAgent } from "./kinds.ts";
import { objectNames, ownedMetadata, podLabels } from "./ownership.ts";
import { configVolumes } from "./pod-layout.ts";

export interface StatefulSet extends KubeObject {
  spec: {
    readonly serviceName: string;
    readonly podManagementPolicy: string;
    readonly replicas: number;
    readonly selector: object;
    readonly template: object;
    readonly volumeClaimTemplates?: readonly object[];
    readonly [field: string]: unknown;
  };
  status?: { readonly readyReplicas?: number; readonly [field: string]: unknown };
}

/** Fields of a spec that go to the pods as they stand. */
const podFields = [
  "serviceAccountName",
  "imagePullSecrets",
  "nodeSelector",
  "affinity",
  "tolerations",
  "topologySpreadConstraints",
  "priorityClassName",
  "runtimeClassName",
] as const satisfies readonly (keyof MetricsAgentSpec)[];

/** The user of the usual image; the group lets it write to volumes that are claimed. */
const unprivileged = {
  runAsNonRoot: true,
  runAsUser: 65_534,
  runAsGroup: 65_534,
  fsGroup: 65_534,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Long enough to write what is queued, and not the hour that stuck pods were known for. */
const defaultGraceSeconds = 120;

/** The collectors of one shard. */
export function statefulSet(agent: MetricsAgent, shard: number, imageRepository: string): StatefulSet {
  const claim = agent.spec.storage?.volumeClaimTemplate;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: ownedMetadata(agent, objectNames.statefulSet(agent, shard), shard),
    spec: {
      serviceName: objectNames.service(agent),
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate" },
      replicas: replicaCount(agent),
      selector: { matchLabels: podLabels(agent, shard) },
      template: podTemplate(agent, shard, imageRepository),
      ...(claim === undefined ? {} : { volumeClaimTemplates: [dataClaim(claim)] }),
    },
  };
}

function podTemplate(agent: MetricsAgent, shard: number, imageRepository: string): object {
  const { spec } = agent;
  const { annotations, labels } = spec.podMetadata ?? {};
  const image = collectorImage(agent, imageRepository);
  const [initConfig, configReloader] = reloadContainers(agent, image, shard);
  const passedOn = podFields.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]]]));
  const dataVolume =
    spec.storage?.volumeClaimTemplate === undefined
      ? [{ name: "data", emptyDir: spec.storage?.emptyDir ?? {} }]
      : [];
  return {
    metadata: {
      labels: { ...labels, ...podLabels(agent, shard) },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      ...Object.fromEntries(passedOn),
      securityContext: spec.securityContext ?? unprivileged,
      terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? defaultGraceSeconds,
      initContainers: [initConfig],
      containers: [collectorContainer(agent, image), configReloader],
      volumes: [...configVolumes(agent), ...dataVolume],
    },
  };
}

type ClaimTemplate = NonNullable<NonNullable<MetricsAgentSpec["storage"]>["volumeClaimTemplate"]>;

function dataClaim({ metadata, spec }: ClaimTemplate): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], ...spec },
  };
}
