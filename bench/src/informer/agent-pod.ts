import type { FieldMask, KubeObject } from "@bowline/kube";

/** What an agent keeps of a pod: who it is, whose it is, what it refers to, how it is. */
export interface AgentPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  readonly node: string;
  readonly serviceAccount: string;
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  readonly claims: readonly string[];
  readonly phase: string;
  readonly podIp: string;
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
  readonly containers: readonly AgentContainer[];
}

interface AgentContainer {
  readonly name: string;
  readonly image: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly state: string;
}

export const agentPodFields: FieldMask = {
  metadata: {
    creationTimestamp: true,
    labels: true,
    ownerReferences: { kind: true, name: true, uid: true },
  },
  spec: {
    nodeName: true,
    serviceAccountName: true,
    volumes: {
      configMap: { name: true },
      secret: { secretName: true },
      persistentVolumeClaim: { claimName: true },
    },
  },
  status: {
    phase: true,
    podIP: true,
    conditions: { type: true, status: true },
    containerStatuses: {
      name: true,
      image: true,
      ready: true,
      restartCount: true,
      state: { waiting: { reason: true }, terminated: { reason: true }, running: {} },
    },
  },
};

interface MaskedPod extends KubeObject {
  spec: {
    nodeName?: string;
    serviceAccountName?: string;
    volumes?: {
      configMap?: { name?: string };
      secret?: { secretName?: string };
      persistentVolumeClaim?: { claimName?: string };
    }[];
  };
  status: {
    phase?: string;
    podIP?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: {
      name: string;
      image: string;
      ready: boolean;
      restartCount: number;
      state?: { waiting?: { reason?: string }; terminated?: { reason?: string } };
    }[];
  };
}

const isPod = (object: KubeObject): object is MaskedPod => object.kind === "Pod";
const present = (value: string | undefined): value is string => value !== undefined;

export function projectPod(object: KubeObject): AgentPod {
  if (!isPod(object)) throw new TypeError(`A ${object.kind} is no Pod`);
  const { metadata, spec, status } = object;
  const volumes = spec.volumes ?? [];
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    createdAt: metadata.creationTimestamp ?? "",
    labels: metadata.labels ?? {},
    owners: (metadata.ownerReferences ?? []).map(({ kind, name, uid }) => ({ kind, name, uid })),
    node: spec.nodeName ?? "",
    serviceAccount: spec.serviceAccountName ?? "",
    configMaps: volumes.map((volume) => volume.configMap?.name).filter(present),
    secrets: volumes.map((volume) => volume.secret?.secretName).filter(present),
    claims: volumes.map((volume) => volume.persistentVolumeClaim?.claimName).filter(present),
    phase: status.phase ?? "",
    podIp: status.podIP ?? "",
    conditions: (status.conditions ?? []).map(({ type, status }) => ({ type, status })),
    containers: (status.containerStatuses ?? []).map(({ name, image, ready, restartCount, state }) => ({
      name,
      image,
      ready,
      restarts: restartCount,
      state: state?.waiting?.reason ?? state?.terminated?.reason ?? "Running",
    })),
  };
}
