import { appsTypes } from "../../schema/types/apps.ts";
import type { NumberTable } from "../field-numbers.ts";

export const appsNumbers: NumberTable = {
  prefix: appsTypes.prefix,
  source: `
Deployment: metadata spec status
DeploymentSpec: replicas selector template strategy minReadySeconds revisionHistoryLimit paused 9
  progressDeadlineSeconds
DeploymentStrategy: type rollingUpdate
RollingUpdateDeployment: maxUnavailable maxSurge
DeploymentStatus: observedGeneration replicas updatedReplicas availableReplicas unavailableReplicas conditions
  readyReplicas collisionCount
DeploymentCondition: type status 4 reason message lastUpdateTime lastTransitionTime
ReplicaSet: metadata spec status
ReplicaSetSpec: replicas selector template minReadySeconds
ReplicaSetStatus: replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas conditions
ReplicaSetCondition: type status lastTransitionTime reason message
StatefulSet: metadata spec status
StatefulSetSpec: replicas selector template volumeClaimTemplates serviceName podManagementPolicy
  updateStrategy revisionHistoryLimit minReadySeconds persistentVolumeClaimRetentionPolicy ordinals
StatefulSetUpdateStrategy: type rollingUpdate
RollingUpdateStatefulSetStrategy: partition maxUnavailable
StatefulSetStatus: observedGeneration replicas readyReplicas currentReplicas updatedReplicas currentRevision
  updateRevision 9 collisionCount conditions availableReplicas
StatefulSetCondition: type status lastTransitionTime reason message
DaemonSet: metadata spec status
DaemonSetSpec: selector template updateStrategy minReadySeconds 6 revisionHistoryLimit
DaemonSetUpdateStrategy: type rollingUpdate
RollingUpdateDaemonSet: maxUnavailable maxSurge
DaemonSetStatus: currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady
  observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount conditions
DaemonSetCondition: type status lastTransitionTime reason message
ControllerRevision: metadata data revision
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted whenScaled
StatefulSetOrdinals: start
`,
};
