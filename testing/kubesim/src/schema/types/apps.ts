import type { TypeTable } from "../type-language.ts";

export const appsTypes: TypeTable = {
  prefix: "io.k8s.api.apps.v1",
  source: `
Deployment: Keeps equal pods running and replaces them step by step when the template changes.
  metadata~: meta.ObjectMeta
  spec~: DeploymentSpec
  status~: DeploymentStatus
DeploymentSpec: What is wanted of the deployment.
  minReadySeconds: int32
  paused: bool -- While set, changes of the template start no rollout.
  progressDeadlineSeconds*: int32 default(600)
  replicas*: int32 default(1) -- How many pods are wanted.
  revisionHistoryLimit*: int32 default(10)
  selector!: meta.LabelSelector -- Which pods belong to the deployment; must match the labels of the template.
  strategy~: DeploymentStrategy retainKeys -- How old pods are replaced by new ones.
  template!~: core.PodTemplateSpec
DeploymentStrategy: How old pods are replaced by new ones.
  rollingUpdate: RollingUpdateDeployment
  type: string default(RollingUpdate)
RollingUpdateDeployment: How many pods may be missing or surplus during an update.
  maxSurge, maxUnavailable: int-or-string default(25%)
DeploymentStatus: What was last seen of the deployment.
  availableReplicas, collisionCount*: int32
  conditions: [DeploymentCondition] merge(type)
  observedGeneration: int64
  readyReplicas, replicas, unavailableReplicas, updatedReplicas: int32
DeploymentCondition: One aspect of the state of the deployment.
  lastTransitionTime~, lastUpdateTime~: time
  message, reason, status!, type!: string
ReplicaSet: Keeps a number of equal pods running.
  metadata~: meta.ObjectMeta
  spec~: ReplicaSetSpec
  status~: ReplicaSetStatus
ReplicaSetSpec: What is wanted of the replica set.
  minReadySeconds: int32
  replicas*: int32 default(1)
  selector!: meta.LabelSelector
  template~: core.PodTemplateSpec
ReplicaSetStatus: What was last seen of the replica set.
  availableReplicas: int32
  conditions: [ReplicaSetCondition] merge(type)
  fullyLabeledReplicas: int32
  observedGeneration: int64
  readyReplicas, replicas!: int32
ReplicaSetCondition: One aspect of the state of the replica set.
  lastTransitionTime~: time
  message, reason, status!, type!: string
StatefulSet: Runs pods with stable names and storage of their own.
  metadata~: meta.ObjectMeta
  spec~: StatefulSetSpec
  status~: StatefulSetStatus
StatefulSetSpec: What is wanted of the stateful set.
  podManagementPolicy: string default(OrderedReady)
  replicas*: int32 default(1)
  revisionHistoryLimit*: int32 default(10)
  selector!: meta.LabelSelector
  serviceName!: string
  template!~: core.PodTemplateSpec
  updateStrategy~: StatefulSetUpdateStrategy
  volumeClaimTemplates: [core.PersistentVolumeClaim]
  minReadySeconds: int32
  persistentVolumeClaimRetentionPolicy: StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals: StatefulSetOrdinals
StatefulSetUpdateStrategy: How pods are replaced when the template changes.
  rollingUpdate: RollingUpdateStatefulSetStrategy
  type: string default(RollingUpdate)
RollingUpdateStatefulSetStrategy: Details of a rolling update.
  partition*: int32 default(0)
  maxUnavailable: int-or-string
StatefulSetStatus: What was last seen of the stateful set.
  collisionCount*: int32
  conditions: [StatefulSetCondition] merge(type)
  currentReplicas: int32
  currentRevision: string
  observedGeneration: int64
  readyReplicas, replicas!: int32
  updateRevision: string
  updatedReplicas, availableReplicas: int32
StatefulSetCondition: One aspect of the state of the stateful set.
  lastTransitionTime~: time
  message, reason, status!, type!: string
DaemonSet: Runs a pod on every node that matches.
  metadata~: meta.ObjectMeta
  spec~: DaemonSetSpec
  status~: DaemonSetStatus
DaemonSetSpec: What is wanted of the daemon set.
  minReadySeconds: int32
  revisionHistoryLimit*: int32 default(10)
  selector!: meta.LabelSelector
  template!~: core.PodTemplateSpec
  updateStrategy~: DaemonSetUpdateStrategy
DaemonSetUpdateStrategy: How pods are replaced when the template changes.
  rollingUpdate: RollingUpdateDaemonSet
  type: string default(RollingUpdate)
RollingUpdateDaemonSet: How many nodes are updated at once.
  maxUnavailable: int-or-string default(1)
  maxSurge: int-or-string
DaemonSetStatus: What was last seen of the daemon set.
  collisionCount*: int32
  conditions: [DaemonSetCondition] merge(type)
  currentNumberScheduled!, desiredNumberScheduled!, numberAvailable, numberMisscheduled!: int32
  numberReady!, numberUnavailable: int32
  observedGeneration: int64
  updatedNumberScheduled: int32
DaemonSetCondition: One aspect of the state of the daemon set.
  lastTransitionTime~: time
  message, reason, status!, type!: string
ControllerRevision: A past or present state of a controller.
  data: any
  metadata~: meta.ObjectMeta
  revision!: int64
StatefulSetPersistentVolumeClaimRetentionPolicy: What becomes of claims when the set is deleted or scaled down.
  whenDeleted, whenScaled: string
StatefulSetOrdinals: How pods are numbered.
  start: int32
`,
};
