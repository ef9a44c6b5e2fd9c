import type { SimObject } from "../../store/sim-api.ts";
import type { Condition, IntOrPercent, LabelSelector } from "./meta.ts";
import type { PodTemplate } from "./pod.ts";
import type { PersistentVolumeClaim } from "./storage.ts";

export interface Deployment extends SimObject {
  spec: DeploymentSpec;
  status?: DeploymentStatus;
}

export interface DeploymentSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplate;
  strategy?: {
    type?: "RollingUpdate" | "Recreate";
    rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent };
  };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
  paused?: boolean;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  collisionCount?: number;
  conditions?: Condition[];
}

export interface ReplicaSet extends SimObject {
  spec: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

interface ReplicaSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplate;
  minReadySeconds?: number;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  conditions?: Condition[];
}

export interface StatefulSet extends SimObject {
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplate;
  serviceName?: string;
  podManagementPolicy?: "OrderedReady" | "Parallel";
  updateStrategy?: { type?: "RollingUpdate" | "OnDelete"; rollingUpdate?: { partition?: number } };
  volumeClaimTemplates?: PersistentVolumeClaim[];
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
}

export interface DaemonSet extends SimObject {
  spec: DaemonSetSpec;
  status?: DaemonSetStatus;
}

export interface DaemonSetSpec {
  selector: LabelSelector;
  template: PodTemplate;
  updateStrategy?: { type?: "RollingUpdate" | "OnDelete"; rollingUpdate?: { maxUnavailable?: IntOrPercent } };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  desiredNumberScheduled: number;
  numberMisscheduled: number;
  numberReady: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  updatedNumberScheduled?: number;
  observedGeneration?: number;
}

export interface ControllerRevision extends SimObject {
  revision: number;
  data: { spec: { template: PodTemplate & { $patch?: "replace" } } };
}
