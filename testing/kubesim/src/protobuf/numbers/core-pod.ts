import { corePodTypes } from "../../schema/types/core-pod.ts";
import type { NumberTable } from "../field-numbers.ts";

export const corePodNumbers: NumberTable = {
  prefix: corePodTypes.prefix,
  source: `
Pod: metadata spec status
PodSpec: volumes containers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy
  nodeSelector serviceAccountName serviceAccount nodeName hostNetwork hostPID hostIPC securityContext
  imagePullSecrets hostname subdomain affinity schedulerName initContainers automountServiceAccountToken
  tolerations hostAliases priorityClassName priority dnsConfig shareProcessNamespace readinessGates
  runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints ephemeralContainers
  setHostnameAsFQDN os hostUsers schedulingGates
Affinity: nodeAffinity podAffinity podAntiAffinity
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution
PreferredSchedulingTerm: weight preference
NodeSelectorTerm: matchExpressions matchFields
NodeSelectorRequirement: key operator values
NodeSelector: nodeSelectorTerms
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution
WeightedPodAffinityTerm: weight podAffinityTerm
PodAffinityTerm: labelSelector namespaces topologyKey namespaceSelector
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution
  preferredDuringSchedulingIgnoredDuringExecution
Container: name image command args workingDir ports env resources volumeMounts livenessProbe readinessProbe
  lifecycle terminationMessagePath imagePullPolicy securityContext stdin stdinOnce tty envFrom
  terminationMessagePolicy volumeDevices startupProbe resizePolicy restartPolicy
EnvVar: name value valueFrom
EnvVarSource: fieldRef resourceFieldRef configMapKeyRef secretKeyRef
ConfigMapKeySelector: {name} key optional
ObjectFieldSelector: apiVersion fieldPath
ResourceFieldSelector: containerName resource divisor
SecretKeySelector: {name} key optional
EnvFromSource: prefix configMapRef secretRef
ConfigMapEnvSource: {name} optional
SecretEnvSource: {name} optional
Lifecycle: postStart preStop
Handler: exec httpGet tcpSocket sleep
ExecAction: command
HTTPGetAction: path port host scheme httpHeaders
HTTPHeader: name value
TCPSocketAction: port host
Probe: {exec httpGet tcpSocket grpc} initialDelaySeconds timeoutSeconds periodSeconds successThreshold
  failureThreshold terminationGracePeriodSeconds
ContainerPort: name hostPort containerPort protocol hostIP
ResourceRequirements: limits requests claims
ResourceClaim: name request
SecurityContext: capabilities privileged seLinuxOptions runAsUser runAsNonRoot readOnlyRootFilesystem
  allowPrivilegeEscalation runAsGroup procMount windowsOptions seccompProfile appArmorProfile
Capabilities: add drop
SELinuxOptions: user role type level
SeccompProfile: type localhostProfile
WindowsSecurityContextOptions: gmsaCredentialSpecName gmsaCredentialSpec runAsUserName
VolumeDevice: name devicePath
VolumeMount: name readOnly mountPath subPath mountPropagation subPathExpr recursiveReadOnly
PodDNSConfig: nameservers searches options
PodDNSConfigOption: name value
EphemeralContainer: {name image command args workingDir ports env resources volumeMounts livenessProbe
  readinessProbe lifecycle terminationMessagePath imagePullPolicy securityContext stdin stdinOnce tty envFrom
  terminationMessagePolicy volumeDevices startupProbe} targetContainerName
HostAlias: ip hostnames
LocalObjectReference: name
PodReadinessGate: conditionType
PodSecurityContext: seLinuxOptions runAsUser runAsNonRoot supplementalGroups fsGroup runAsGroup sysctls
  windowsOptions fsGroupChangePolicy seccompProfile appArmorProfile supplementalGroupsPolicy
Sysctl: name value
Toleration: key operator value effect tolerationSeconds
TopologySpreadConstraint: maxSkew topologyKey whenUnsatisfiable labelSelector minDomains nodeAffinityPolicy
  nodeTaintsPolicy matchLabelKeys
Volume: name {hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs
  persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume
  quobyte azureDisk photonPersistentDisk portworxVolume scaleIO projected storageos csi ephemeral}
PodStatus: phase conditions message reason hostIP podIP startTime containerStatuses qosClass
  initContainerStatuses nominatedNodeName podIPs ephemeralContainerStatuses 16 hostIPs observedGeneration
PodCondition: type status lastProbeTime lastTransitionTime reason message
ContainerStatus: name state lastState ready restartCount image imageID containerID started
ContainerState: waiting running terminated
ContainerStateRunning: startedAt
ContainerStateTerminated: exitCode signal reason message startedAt finishedAt containerID
ContainerStateWaiting: reason message
PodIP: ip
PodOS: name
PodSchedulingGate: name
ContainerResizePolicy: resourceName restartPolicy
SleepAction: seconds
GRPCAction: port service
`,
};
