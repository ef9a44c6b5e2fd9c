import type { SimObject, SimObjectMeta } from "../../store/sim-api.ts";
import type { Condition } from "./meta.ts";

export interface Pod extends SimObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodTemplate {
  metadata?: Partial<SimObjectMeta>;
  spec: PodSpec;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  tolerations?: Toleration[];
  restartPolicy?: RestartPolicy;
  terminationGracePeriodSeconds?: number;
  hostNetwork?: boolean;
  hostname?: string;
  subdomain?: string;
  schedulerName?: string;
  readinessGates?: { conditionType: string }[];
  [field: string]: unknown;
}

export type RestartPolicy = "Always" | "OnFailure" | "Never";

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  ports?: ContainerPort[];
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> };
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  startupProbe?: Probe;
  [field: string]: unknown;
}

interface ContainerPort {
  name?: string;
  containerPort: number;
  protocol?: string;
}

export interface Probe {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  httpGet?: { path?: string; port: number | string; scheme?: string };
  tcpSocket?: { port: number | string };
  exec?: { command?: string[] };
  [field: string]: unknown;
}

export interface Volume {
  name: string;
  configMap?: { name?: string; optional?: boolean };
  secret?: { secretName?: string; optional?: boolean };
  persistentVolumeClaim?: { claimName: string };
  [source: string]: unknown;
}

export interface Toleration {
  key?: string;
  operator?: "Equal" | "Exists";
  value?: string;
  effect?: TaintEffect;
  tolerationSeconds?: number;
}

export type TaintEffect = "NoSchedule" | "PreferNoSchedule" | "NoExecute";

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] };
    [preference: string]: unknown;
  };
  [kind: string]: unknown;
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeRequirement[];
  matchFields?: NodeRequirement[];
}

export interface NodeRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  values?: string[];
}

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";

export interface PodStatus {
  phase?: PodPhase;
  conditions?: Condition[];
  reason?: string;
  message?: string;
  hostIP?: string;
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  qosClass?: string;
  nominatedNodeName?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: TerminatedState;
}

export interface TerminatedState {
  exitCode: number;
  signal?: number;
  reason: string;
  message?: string;
  startedAt: string;
  finishedAt: string;
  containerID: string;
}
