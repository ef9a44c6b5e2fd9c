import type { TypeTable } from "../type-language.ts";

export const corePodTypes: TypeTable = {
  prefix: "io.k8s.api.core.v1",
  source: `
Pod: One or more containers that share a node, a network address and volumes.
  metadata~: meta.ObjectMeta
  spec~: PodSpec
  status~: PodStatus
PodSpec: The containers of a pod and how to run them.
  activeDeadlineSeconds*: int64
  affinity: Affinity
  automountServiceAccountToken*: bool
  containers!: [Container] merge(name) -- The containers of the pod; there is at least one.
  dnsConfig: PodDNSConfig
  dnsPolicy: string default(ClusterFirst) enum(ClusterFirstWithHostNet, ClusterFirst, Default, None)
  enableServiceLinks*: bool
  ephemeralContainers: [EphemeralContainer] merge(name)
  hostAliases: [HostAlias] merge(ip)
  hostIPC, hostNetwork, hostPID: bool
  hostname: string
  imagePullSecrets: [LocalObjectReference] merge(name)
  initContainers: [Container] merge(name) -- Containers that run one after the other before the rest start.
  nodeName: string -- The node the pod is bound to.
  nodeSelector: {string}
  overhead: {quantity}
  preemptionPolicy*: string enum(PreemptLowerPriority, Never)
  priority*: int32
  priorityClassName: string
  readinessGates: [PodReadinessGate]
  restartPolicy: string default(Always) enum(Always, OnFailure, Never) -- Whether containers that end are started again.
  runtimeClassName*: string
  schedulerName: string default(default-scheduler)
  securityContext: PodSecurityContext default({})
  serviceAccount: string
  serviceAccountName: string -- The identity the pod runs with.
  setHostnameAsFQDN*, shareProcessNamespace*: bool
  subdomain: string
  terminationGracePeriodSeconds*: int64 default(30)
  tolerations: [Toleration]
  topologySpreadConstraints: [TopologySpreadConstraint] keys(topologyKey, whenUnsatisfiable) merge(topologyKey)
  volumes: [Volume] merge(name) retainKeys -- Volumes the containers can mount.
  os: PodOS
  hostUsers*: bool
  schedulingGates: [PodSchedulingGate] keys(name) merge(name)
Affinity: Rules that draw a pod to nodes or keep it away.
  nodeAffinity: NodeAffinity
  podAffinity: PodAffinity
  podAntiAffinity: PodAntiAffinity
NodeAffinity: Rules about the nodes a pod may or should run on.
  preferredDuringSchedulingIgnoredDuringExecution: [PreferredSchedulingTerm]
  requiredDuringSchedulingIgnoredDuringExecution: NodeSelector
PreferredSchedulingTerm: A wish about the node, with its weight.
  preference!~: NodeSelectorTerm
  weight!: int32
NodeSelectorTerm: Requirements a node must meet together.
  matchExpressions, matchFields: [NodeSelectorRequirement]
NodeSelectorRequirement: A test of a node label or field.
  key!, operator!: string
  values: [string]
NodeSelector: Terms of which a node must meet at least one.
  nodeSelectorTerms!: [NodeSelectorTerm]
PodAffinity: Rules that place a pod near other pods.
  preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm]
WeightedPodAffinityTerm: A wish about neighbours, with its weight.
  podAffinityTerm!~: PodAffinityTerm
  weight!: int32
PodAffinityTerm: Which pods count as neighbours, and how near is near.
  labelSelector: meta.LabelSelector
  namespaces: [string]
  topologyKey!: string
  namespaceSelector: meta.LabelSelector
PodAntiAffinity: Rules that keep a pod away from other pods.
  preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm]
Container: A program the pod runs from an image.
  args: [string] -- Arguments of the command.
  command: [string] -- Replaces the entrypoint of the image.
  env: [EnvVar] merge(name)
  envFrom: [EnvFromSource]
  image: string -- Image to run.
  imagePullPolicy: string enum(Always, IfNotPresent, Never)
  lifecycle: Lifecycle
  livenessProbe: Probe -- When it fails, the container is restarted.
  name!: string -- Name of the container, unique within the pod.
  ports: [ContainerPort] keys(containerPort, protocol) merge(containerPort) -- Ports the container listens on.
  readinessProbe: Probe -- While it fails, services send no traffic.
  resources~: ResourceRequirements -- What the container is promised and may use at most.
  securityContext: SecurityContext
  startupProbe: Probe -- Until it succeeds, the other probes wait.
  stdin, stdinOnce: bool
  terminationMessagePath: string default(/dev/termination-log)
  terminationMessagePolicy: string default(File) enum(File, FallbackToLogsOnError)
  tty: bool
  volumeDevices: [VolumeDevice] merge(devicePath)
  volumeMounts: [VolumeMount] merge(mountPath)
  workingDir, restartPolicy*: string
  resizePolicy: [ContainerResizePolicy] atomic
EnvVar: A variable in the environment of a container.
  name!, value: string
  valueFrom: EnvVarSource
EnvVarSource: Where the value of a variable comes from.
  configMapKeyRef: ConfigMapKeySelector
  fieldRef: ObjectFieldSelector
  resourceFieldRef: ResourceFieldSelector
  secretKeyRef: SecretKeySelector
ConfigMapKeySelector: A key of a ConfigMap.
  key!, name: string
  optional*: bool
ObjectFieldSelector: A field of the pod itself.
  apiVersion: string default(v1)
  fieldPath!: string
ResourceFieldSelector: A resource request or limit of a container.
  containerName: string
  divisor: quantity
  resource!: string
SecretKeySelector: A key of a Secret.
  key!, name: string
  optional*: bool
EnvFromSource: A ConfigMap or Secret whose keys all become variables.
  configMapRef: ConfigMapEnvSource
  prefix: string
  secretRef: SecretEnvSource
ConfigMapEnvSource: The ConfigMap to take variables from.
  name: string
  optional*: bool
SecretEnvSource: The Secret to take variables from.
  name: string
  optional*: bool
Lifecycle: What to do right after start and right before stop.
  postStart, preStop: Handler
Handler: One action: a command, an HTTP request or a TCP connection.
  exec: ExecAction
  httpGet: HTTPGetAction
  tcpSocket: TCPSocketAction
  sleep: SleepAction
ExecAction: A command run inside the container.
  command: [string]
HTTPGetAction: An HTTP request to the container.
  host: string
  httpHeaders: [HTTPHeader]
  path: string default(/)
  port!: int-or-string
  scheme: string default(HTTP) enum(HTTP, HTTPS)
HTTPHeader: A header of the request.
  name!, value!: string
TCPSocketAction: A TCP connection to the container.
  host: string
  port!: int-or-string
Probe: A check that is made again and again while the container runs.
  exec: ExecAction
  failureThreshold: int32 default(3)
  httpGet: HTTPGetAction
  initialDelaySeconds: int32
  periodSeconds: int32 default(10)
  successThreshold: int32 default(1)
  tcpSocket: TCPSocketAction
  timeoutSeconds: int32 default(1)
  grpc: GRPCAction
  terminationGracePeriodSeconds*: int64
ContainerPort: A port the container listens on.
  containerPort!: int32
  hostIP: string
  hostPort: int32
  name: string
  protocol: string default(TCP) enum(SCTP, TCP, UDP)
ResourceRequirements: What a container is promised and what it may use at most.
  limits, requests: {quantity}
  claims: [ResourceClaim] keys(name)
ResourceClaim: A claim of the pod that the container uses.
  name!, request: string
SecurityContext: Security settings of a container.
  allowPrivilegeEscalation*: bool
  capabilities: Capabilities
  privileged*: bool
  procMount*: string
  readOnlyRootFilesystem*: bool
  runAsGroup*: int64
  runAsNonRoot*: bool
  runAsUser*: int64
  seLinuxOptions: SELinuxOptions
  seccompProfile: SeccompProfile
  windowsOptions: WindowsSecurityContextOptions
  appArmorProfile: SeccompProfile
Capabilities: Linux capabilities to add and drop.
  add, drop: [string]
SELinuxOptions: The SELinux label to run with.
  level, role, type, user: string
SeccompProfile: The filter for system calls.
  localhostProfile*: string
  type!: string enum(Localhost, RuntimeDefault, Unconfined)
WindowsSecurityContextOptions: Settings that only Windows knows.
  gmsaCredentialSpec*, gmsaCredentialSpecName*, runAsUserName*: string
VolumeDevice: A raw block device of the pod given to the container.
  devicePath!, name!: string
VolumeMount: Where a volume of the pod appears in the container.
  mountPath!: string
  mountPropagation*: string enum(None, Bidirectional, HostToContainer)
  name!: string
  readOnly: bool
  subPath, subPathExpr, recursiveReadOnly*: string
PodDNSConfig: DNS settings beside those of the policy.
  nameservers: [string]
  options: [PodDNSConfigOption]
  searches: [string]
PodDNSConfigOption: A resolver option.
  name, value*: string
EphemeralContainer: A container added to a running pod for debugging.
  args, command: [string]
  env: [EnvVar] merge(name)
  envFrom: [EnvFromSource]
  image: string
  imagePullPolicy: string enum(Always, IfNotPresent, Never)
  lifecycle: Lifecycle
  livenessProbe: Probe
  name!: string
  ports: [ContainerPort]
  readinessProbe: Probe
  resources~: ResourceRequirements
  securityContext: SecurityContext
  startupProbe: Probe
  stdin, stdinOnce: bool
  targetContainerName: string
  terminationMessagePath: string default(/dev/termination-log)
  terminationMessagePolicy: string default(File) enum(File, FallbackToLogsOnError)
  tty: bool
  volumeDevices: [VolumeDevice] merge(devicePath)
  volumeMounts: [VolumeMount] merge(mountPath)
  workingDir: string
HostAlias: An entry for the hosts file of the pod.
  hostnames: [string]
  ip: string
LocalObjectReference: The name of an object in the same namespace.
  name: string
PodReadinessGate: A condition that must hold before the pod counts as ready.
  conditionType!: string
PodSecurityContext: Security settings for all containers of a pod.
  fsGroup*: int64
  fsGroupChangePolicy*: string
  runAsGroup*: int64
  runAsNonRoot*: bool
  runAsUser*: int64
  seLinuxOptions: SELinuxOptions
  seccompProfile: SeccompProfile
  supplementalGroups: [int64]
  sysctls: [Sysctl]
  windowsOptions: WindowsSecurityContextOptions
  appArmorProfile: SeccompProfile
  supplementalGroupsPolicy*: string
Sysctl: A kernel setting for the pod.
  name!, value!: string
Toleration: A taint the pod puts up with.
  effect: string enum(NoSchedule, PreferNoSchedule, NoExecute)
  key: string
  operator: string enum(Equal, Exists)
  tolerationSeconds*: int64
  value: string
TopologySpreadConstraint: How evenly matching pods are spread over zones or nodes.
  labelSelector: meta.LabelSelector
  maxSkew!: int32
  topologyKey!: string
  whenUnsatisfiable!: string enum(DoNotSchedule, ScheduleAnyway)
  minDomains*: int32
  nodeAffinityPolicy*, nodeTaintsPolicy*: string
  matchLabelKeys: [string]
Volume: A volume of the pod; exactly one source is set.
  awsElasticBlockStore: AWSElasticBlockStoreVolumeSource
  azureDisk: AzureDiskVolumeSource
  azureFile: AzureFileVolumeSource
  cephfs: CephFSVolumeSource
  cinder: CinderVolumeSource
  configMap: ConfigMapVolumeSource
  csi: CSIVolumeSource
  downwardAPI: DownwardAPIVolumeSource
  emptyDir: EmptyDirVolumeSource
  ephemeral: EphemeralVolumeSource
  fc: FCVolumeSource
  flexVolume: FlexVolumeSource
  flocker: FlockerVolumeSource
  gcePersistentDisk: GCEPersistentDiskVolumeSource
  gitRepo: GitRepoVolumeSource
  glusterfs: GlusterfsVolumeSource
  hostPath: HostPathVolumeSource
  iscsi: ISCSIVolumeSource
  name!: string
  nfs: NFSVolumeSource
  persistentVolumeClaim: PersistentVolumeClaimVolumeSource
  photonPersistentDisk: PhotonPersistentDiskVolumeSource
  portworxVolume: PortworxVolumeSource
  projected: ProjectedVolumeSource
  quobyte: QuobyteVolumeSource
  rbd: RBDVolumeSource
  scaleIO: ScaleIOVolumeSource
  secret: SecretVolumeSource
  storageos: StorageOSVolumeSource
  vsphereVolume: VsphereVirtualDiskVolumeSource
PodStatus: What the node and the control plane last saw of a pod.
  conditions: [PodCondition] merge(type)
  containerStatuses, ephemeralContainerStatuses: [ContainerStatus]
  hostIP: string
  initContainerStatuses: [ContainerStatus]
  message, nominatedNodeName, phase, podIP: string
  podIPs: [PodIP] merge(ip)
  qosClass, reason: string
  startTime: time
  hostIPs: [PodIP] atomic
  observedGeneration: int64
PodCondition: One aspect of the state of the pod.
  lastProbeTime~, lastTransitionTime~: time
  message, reason, status!, type!: string
ContainerStatus: What the node last saw of a container.
  containerID, image!, imageID!: string
  lastState~: ContainerState
  name!: string
  ready!: bool
  restartCount!: int32
  started*: bool
  state~: ContainerState
ContainerState: Waiting, running or terminated; at most one is set.
  running: ContainerStateRunning
  terminated: ContainerStateTerminated
  waiting: ContainerStateWaiting
ContainerStateRunning: Details of a running container.
  startedAt~: time
ContainerStateTerminated: How and when the container ended.
  containerID: string
  exitCode!: int32
  finishedAt~: time
  message, reason: string
  signal: int32
  startedAt~: time
ContainerStateWaiting: Why the container does not run yet.
  message, reason: string
PodIP: An address of the pod.
  ip: string
PodOS: The operating system of the containers.
  name!: string
PodSchedulingGate: Holds the pod back from scheduling until it is removed.
  name!: string
ContainerResizePolicy: What happens to the container when a resource is resized.
  resourceName!, restartPolicy!: string
SleepAction: A pause.
  seconds!: int64
GRPCAction: A health request over gRPC.
  port!: int32
  service*: string
`,
};
